import { canonicalCsp } from "./csp.ts";

/** What a policy permits afterwards: less, more, the same, or both less and more. */
export type CspDirection = "stricter" | "looser" | "equal" | "mixed";

/** One source that a directive gained or lost, or a directive that began or ceased to rule. */
export interface CspChange {
  readonly directive: string;
  /** `restricted`: nothing ruled the directive before; `freed`: nothing rules it now. */
  readonly verb: "added" | "removed" | "restricted" | "freed";
  /** In canonical form; "" for `restricted` and `freed`. */
  readonly source: string;
  readonly effect: "stricter" | "looser" | "neutral" | "unclear";
}

/** What changes for a visitor's browser from one policy to the other. */
export interface CspComparison {
  readonly direction: CspDirection;
  readonly changes: readonly CspChange[];
}

/** Compares what two policies permit. */
export function compareCsp(before: string, after: string): CspComparison {
  const direction = canonicalCsp(before) === canonicalCsp(after) ? "equal" : "mixed";
  return { direction, changes: [] };
}
