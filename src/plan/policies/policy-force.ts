import type { PolicyBehavior } from "../../zone/resource.ts";

/** What a policy does about violations (SERVICE.md A.6, A.7); `unknown`: zonewarden does not know its action. */
export type Force = "none" | "reports" | "blocks" | "unknown";

/** The force of a policy; `none` if there is no policy. */
export function forceOf(policy: PolicyBehavior | undefined): Force {
  if (policy === undefined || !policy.enabled) return "none";
  switch (policy.action) {
    case "allow":
      return "blocks";
    case "log":
      return "reports";
    case "add_reporting_directives":
      return "none";
    default:
      return "unknown";
  }
}

/** The forces in order. */
export const strength = { none: 0, reports: 1, blocks: 2 } as const;

/** The least and the most that a policy may do: 0 nothing, 1 report, 2 block. */
export function strengthsOf(policy: PolicyBehavior): {
  readonly least: number;
  readonly most: number;
} {
  const force = forceOf(policy);
  return force === "unknown"
    ? { least: strength.none, most: strength.blocks }
    : { least: strength[force], most: strength[force] };
}
