import { certaintyOf } from "../../syntax/expression/certainty/certainty.ts";
import type { UnplacedDiagnostic } from "../diagnostics.ts";
import type { Path } from "../location.ts";

/** What a policy and a rule have in common. */
interface Selecting {
  readonly key: string;
  readonly expression: string;
  readonly enabled: boolean;
}

/** Policies or rules of a zone that apply to hosts of other zones only. */
export function outsideOfZone(
  items: readonly Selecting[] | undefined,
  zone: string | undefined,
  list: Path,
): readonly UnplacedDiagnostic[] {
  if (zone === undefined) return [];
  return (items ?? [])
    .filter(({ enabled, expression }) => enabled && /http\.host|full_uri/.test(expression))
    .filter(
      ({ expression }) =>
        certaintyOf(expression, zone) === "never" && certaintyOf(expression) !== "never",
    )
    .map(({ key }) => ({
      code: "HOST_OUTSIDE_ZONE" as const,
      path: [...list, key, "expression"],
      message: `"${key}" applies to no request of ${zone}: its expression selects hosts of other zones only`,
      remedy: `compare with ${zone} or a host below it, unless the zone serves custom hostnames`,
    }));
}
