/** The fields of a policy that decide what it does. */
export interface PolicyTerms {
  readonly action: string;
  readonly expression: string;
  readonly enabled: boolean;
  readonly value: string;
}

/** What a policy does with the requests that do not fit it (SERVICE.md A.6, A.7); `unknown`: its action is none that we know. */
export type Force = "none" | "reports" | "blocks" | "unknown";

/** The force of a policy; one that is not there has none. */
export function forceOf(policy: PolicyTerms | undefined): Force {
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
