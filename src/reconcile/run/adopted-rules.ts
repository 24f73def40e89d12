import { isDeepStrictEqual } from "node:util";

import { writeHolds } from "../../plan/guard/guard.ts";
import type { AdoptedRule, Ownership } from "../../plan/ownership.ts";
import { changeResultOf, type ZoneReport } from "../../state/run-report.ts";
import { isConverged } from "../../state/summary.ts";
import { declaredOf, type DesiredZone, type Mode } from "../../zone/desired-zone.ts";
import { listKindOf, type RuleKind, ruleKinds } from "../../zone/resource.ts";

/**
 * The adopted rules of a zone after a run. A rule becomes ours where the run changed it, or where the plan was to take
 * ownership and the zone is as declared; never while nothing may be written. A rule that is gone, or that has another ref
 * now, is forgotten. What was not read stays as it was.
 *
 * @param mode of the program; that of the zone may be stricter.
 */
export function adoptedAfter(
  report: ZoneReport,
  { content }: DesiredZone,
  mode: Mode,
  ownership: Ownership,
): readonly AdoptedRule[] {
  if (report.result === "error") return ownership.rules;
  const { adoptedRules, unowned } = report.plan;
  const now = report.finishedAt;
  const strictest = content.mode === "observe" ? "observe" : mode;
  const { suspension } = content;
  const isHeld = writeHolds({ mode: strictest, suspension, freeze: undefined, now }).length > 0;
  const takesAll = ownership.adopt && !isHeld && isConverged(report);
  const isDeclared = (kind: RuleKind, name: string): boolean =>
    declaredOf(content, listKindOf(kind, `${kind}/${name}`)) !== undefined;
  const next = ruleKinds.flatMap((kind): readonly AdoptedRule[] => {
    const taken = unowned.filter(
      (each) => each.kind === kind && (takesAll || isChanged(each.key, report)),
    );
    return [
      ...ownership.rules.filter((rule) => rule.kind === kind && !isDeclared(kind, rule.key)),
      ...adoptedRules.filter((rule) => rule.kind === kind && isDeclared(kind, rule.key)),
      ...taken.map(({ id, ref, key }) => ({ kind, id, ref, key: nameOf(key) })),
    ];
  });
  return isDeepStrictEqual(next, ownership.rules) ? ownership.rules : next;
}

function isChanged(key: string, report: ZoneReport): boolean {
  if (report.result !== "applied") return false;
  const change = report.plan.changes.find((each) => each.key === key);
  return change?.verb === "update" && changeResultOf(change, report.outcomes) === "done";
}

function nameOf(key: string): string {
  return key.slice(key.indexOf("/") + 1);
}
