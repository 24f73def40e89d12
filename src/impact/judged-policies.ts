import type { Plan } from "../plan/plan.ts";
import { byText } from "../syntax/by-text.ts";
import type { LivePolicy } from "../zone/live-zone.ts";
import { unmarked } from "../zone/mark.ts";
import type { Policy } from "../zone/resource.ts";
import type { JudgedPolicy } from "./csp-impact.ts";

/** Every policy that rules a zone before its plan is carried out or afterwards: those that stay as they are too. */
export function judgedPolicies(
  plan: Plan,
  declared: readonly Policy[],
  live: readonly LivePolicy[],
): readonly JudgedPolicy[] {
  const byKey = new Map(declared.map((policy) => [`policy/${policy.key}`, policy]));
  const changes = plan.changes.filter(({ kind }) => kind === "policy");
  const ids = new Map(
    changes.flatMap((change) => (change.verb === "create" ? [] : [[change.id, change]])),
  );
  const created = changes
    .filter(({ verb }) => verb === "create")
    .map(({ key, title }) => ({ key, title, before: undefined, after: byKey.get(key) }));
  const lasting = live.map((before): JudgedPolicy => {
    const change = ids.get(before.id);
    const { description, key } = unmarked(before.description);
    const own = key !== undefined && byKey.has(`policy/${key}`) ? key : before.id;
    if (change === undefined) {
      return { key: `policy/${own}`, title: description, before, after: before };
    }
    const after = change.verb === "delete" ? undefined : byKey.get(change.key);
    return { key: change.key, title: change.title, before, after };
  });
  return [...created, ...lasting].toSorted(byText(({ key }) => key));
}
