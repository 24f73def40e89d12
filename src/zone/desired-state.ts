import type { DesiredZone, ZoneDocument } from "./desired-zone.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { KnownZones, ZoneName } from "./zone.ts";

/** What identifies a version of the zone files. */
export interface Revision {
  /** Identifies the content of the files. */
  readonly revision: string;
  /** Git's name for it: a label. */
  readonly commit?: string | undefined;
  readonly hash: string;
  /** What a person accepts: identifies what the files declare; "" if only some of them were loaded. */
  readonly declaredHash: string;
}

/** The content of the zone files at a moment. */
export interface DesiredState extends Revision {
  readonly documents: readonly ZoneDocument[];
  readonly diagnostics: readonly Diagnostic[];
  /** `false`: nothing of the files can become active; `documents` are those of the last usable load. */
  readonly usable: boolean;
}

/** The declared zones that are listed, in the order of the listing. */
export interface Selection {
  /** At most one zone of each name. */
  readonly zones: readonly DesiredZone[];
  readonly diagnostics: readonly Diagnostic[];
  /** Declared and listed zones that are not managed, with the reason. */
  readonly leftAlone: ReadonlyMap<ZoneName, Diagnostic>;
}

/** Finds the zones that documents select. */
export type Select = (documents: readonly ZoneDocument[], known: KnownZones) => Selection;
