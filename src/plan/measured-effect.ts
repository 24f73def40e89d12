/** What becomes of the requests that a resource acted on, as far as its counts can say it. */
export interface CountedEffect {
  /** What it does live; `mixed`: its rules block or challenge. */
  readonly before: "log" | "challenge" | "block" | "mixed";
  /** What it does to them then. */
  readonly after: "pass" | "challenge" | "block";
  /** Whether it does that to all of them, to some, or to these and more. */
  readonly extent: "all" | "some" | "more";
  /** Its counts say that only of the time in which it was as it is live. */
  readonly since: LiveSince;
}

/** Since when a resource is as it is live: a moment, or the digest of it that the measurements have. */
export type LiveSince = { readonly at: Date } | { readonly form: string };

/** Why counts cannot say what a change does to requests. */
export interface Uncounted {
  readonly why: string;
}

/** What was counted of what a change does to requests, or why that is not known. */
export type MeasuredEffect =
  | (Pick<CountedEffect, "before" | "after" | "extent"> & {
      readonly count: number;
      /** All requests of the zone in these hours; `undefined`: they were not measured. */
      readonly requests: number | undefined;
      /** Whether a sample was counted. */
      readonly isEstimate: boolean;
      /** How many hours were measured, and how many the time has. */
      readonly hours: number;
      readonly ofHours: number;
    })
  | Uncounted;
