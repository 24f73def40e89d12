import type { UnplacedDiagnostic } from "../diagnostics.ts";
import type { Path } from "../location.ts";

/** What `acknowledge` must contain for a policy or a deployment that applies to no request. */
export const noRequest = "no-request";

/** A policy or a deployment that applies to no request and does not acknowledge it. */
export function selectsNoRequest(
  kind: "policy" | "rule",
  { key, acknowledge }: { readonly key: string; readonly acknowledge?: readonly string[] | null },
  path: Path,
): readonly UnplacedDiagnostic[] {
  if (acknowledge?.includes(noRequest) === true) return [];
  return [
    {
      code: "PROTECTS_NOTHING",
      path: [...path, "expression"],
      message: `the ${kind} "${key}" applies to no request: its expression is never true`,
      remedy: `correct the expression, or write \`enabled: false\`; or \`acknowledge: [${noRequest}]\` if you mean it`,
    },
  ];
}
