import type { Expression } from "./expression-tree.ts";

/** Hosts by pattern: lower case, `*` stands for any run of characters. */
export interface HostPatterns {
  readonly kind: "some";
  /** Sorted; a pattern without `*` is one host. */
  readonly patterns: readonly string[];
}

/** The hosts that an expression can select, never fewer than it does; `unknown` where nothing can be said. */
export type HostSet = HostPatterns | { readonly kind: "all" } | { readonly kind: "unknown" };

/** Over-approximates the hosts of the requests that `expression` selects. */
export function hostsOf(expression: Expression | string): HostSet {
  void expression;
  return { kind: "unknown" };
}

/** Whether one request can be selected by both. */
export function hostsOverlap(a: HostSet, b: HostSet): "yes" | "no" | "maybe" {
  void a;
  void b;
  return "maybe";
}
