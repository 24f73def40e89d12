import type { Place } from "./desired-zone.ts";

/** An error keeps a file from being acted on; a warning does not. */
export type Severity = "error" | "warning";

/** What is wrong in something that a person wrote. */
export interface Diagnostic {
  /** Stable, from the table of problems; tests and people hold on to it. */
  readonly code: string;
  readonly severity: Severity;
  readonly place: Place;
  /** Where in the document, as `zones[0].page_shield.policies.items[1].action`; "" for the document itself. */
  readonly path: string;
  /** One sentence: what is wrong. */
  readonly message: string;
  /** One sentence: what would be right; "" where there is nothing to add. */
  readonly remedy: string;
}
