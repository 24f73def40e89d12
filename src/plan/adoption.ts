import { isAdoption } from "./ownership.ts";
import type { Plan } from "./plan.ts";

/** The part of a plan that takes ownership, and nothing else: one write for each policy. */
export function adoptionIn(plan: Plan): Plan {
  const changes = plan.changes.filter(isAdoption);
  const keys = new Set<string>(changes.map(({ key }) => key));
  const writes = plan.writes.filter((write) => write.changes.every((key) => keys.has(key)));
  const left = plan.changes.length - changes.length;
  const notes =
    left === 0 ? [] : [`${left} other ${left === 1 ? "change is" : "changes are"} not part of it`];
  return { ...plan, changes, writes, holds: [], notes: [...plan.notes, ...notes] };
}

/** Whether a plan takes ownership and changes nothing else: the protection stays as it is. */
export function isOnlyAdoption({ changes }: Pick<Plan, "changes">): boolean {
  return changes.length > 0 && changes.every(isAdoption);
}
