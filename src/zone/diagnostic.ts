import type { Place } from "./desired-zone.ts";

/** A file with an error is not used; a file with warnings is. */
export type Severity = "error" | "warning";

/** A mistake or a doubt in a file. */
export interface Diagnostic {
  /** Stable, from the table of codes. */
  readonly code: string;
  readonly severity: Severity;
  readonly place: Place;
  /**
   * Path in the document, like `zones[0].page_shield.policies.items[1].action`; "" for the document
   * itself.
   */
  readonly path: string;
  /** One sentence: what is wrong. */
  readonly message: string;
  /** One sentence: what to do; "" if there is nothing to add. */
  readonly remedy: string;
  /** In how many zones the mistake is found, if in several: that of a profile is reported once. */
  readonly zones?: number;
}

/** What is wrong, and in how many zones if in several. */
export function messageWithZones({
  message,
  zones,
}: Pick<Diagnostic, "message" | "zones">): string {
  return zones === undefined ? message : `${message} (in ${zones} zones)`;
}

/** Errors, then warnings, each in their order. */
export function errorsFirst(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return [
    ...diagnostics.filter(isError),
    ...diagnostics.filter((diagnostic) => !isError(diagnostic)),
  ];
}

export function isError({ severity }: Pick<Diagnostic, "severity">): boolean {
  return severity === "error";
}
