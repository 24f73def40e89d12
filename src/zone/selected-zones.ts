import type { DesiredZone } from "./desired-zone.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { ZoneName } from "./zone.ts";

/** The declared zones that are listed, in the order of the listing. */
export interface Selection {
  /** At most one zone of each name. */
  readonly zones: readonly DesiredZone[];
  readonly diagnostics: readonly Diagnostic[];
  /** Declared and listed zones that are not managed, with the reason. */
  readonly leftAlone: ReadonlyMap<ZoneName, Diagnostic>;
}
