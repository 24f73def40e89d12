import type { Hold } from "../../plan/guard/hold.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Outcome } from "../../state/run-report.ts";
import type { Write } from "../../zone/write.ts";

/**
 * Why a plan is held that the service has no room for; `undefined` where that is not so, or where something was written.
 *
 * A quota cannot be foreseen, since the service tells it only when it refuses (SERVICE.md A.6). What replaces something is
 * created before that is deleted, and what may follow from doing it the other way round is for people to decide.
 */
export function quotaHold(plan: Plan, outcomes: readonly Outcome[]): Hold | undefined {
  const [first] = outcomes;
  if (first?.status !== "failed" || first.failure.code !== "API_QUOTA") return undefined;
  const { write, failure } = first;
  const fault = `${write.changes.join(", ")} does not fit into the zone: ${failure.message}`;
  const ray = failure.ray === "" ? "" : ` (ray ${failure.ray})`;
  return { reason: "quota", message: `${fault}${roomFor(write, plan)}${ray}` };
}

/** What the files can say to have deleted first. Rules need no such help: what is deleted goes with what is created, in one request. */
function roomFor({ call, changes }: Write, plan: Plan): string {
  const going = plan.changes.filter(({ verb, kind }) => verb === "delete" && kind === "policy");
  if (call !== "create-policy" || going.length === 0) return "";
  const deleted = going.map(({ key }) => key).join(", ");
  return `; to make room first, leave ${changes.join(", ")} out of the files until the zone is rid of ${deleted}, or declare it under that key, which changes the policy in place`;
}
