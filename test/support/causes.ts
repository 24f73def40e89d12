import type { AppliedZone } from "../../src/plan/cause/applied-zone.ts";
import { explainChanges } from "../../src/plan/cause/explain.ts";
import { type ChangeOutcome, nextApplied } from "../../src/plan/cause/next-applied.ts";
import type { Change } from "../../src/plan/change.ts";
import { plan } from "../../src/plan/plan.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import { documentedScoreRuleId } from "../../src/zone/managed-ruleset.ts";
import { desiredZone, liveZone, owner } from "./model.ts";

/** What is known of a zone after a run that found it in sync. */
export function inSync(content: Partial<ZoneContent>): AppliedZone {
  return nextApplied(undefined, desiredZone(content).content, documentedScoreRuleId, []);
}

/** What is known, and in addition of some resources or fields something else. */
export function known(
  content: Partial<ZoneContent>,
  more: Readonly<Record<string, Readonly<Record<string, string>>>>,
): AppliedZone {
  const applied = new Map(inSync(content));
  for (const [name, fields] of Object.entries(more)) {
    applied.set(name, new Map([...(applied.get(name) ?? []), ...Object.entries(fields)]));
  }
  return applied;
}

/** A change with its causes; where it is an update, each with its fields. */
export function causeText({ verb, key, causes }: Change): string {
  const texts = causes.map(({ cause, fields }) =>
    verb === "update" ? `${cause}(${fields.join(",")})` : cause,
  );
  return [key, ...texts].join(" ");
}

export function found(
  applied: AppliedZone | undefined,
  content: Partial<ZoneContent>,
  live: Partial<LiveZone>,
): readonly string[] {
  const desired = desiredZone(content);
  return explainChanges(plan(desired, liveZone(live), owner), desired.content, applied).map(
    causeText,
  );
}

/** After a run that made these outcomes of all changes. */
export function after(
  last: AppliedZone | undefined,
  content: Partial<ZoneContent>,
  live: Partial<LiveZone> | undefined,
  outcome: Omit<ChangeOutcome, "change"> = { result: "done", left: [] },
): AppliedZone {
  const desired = desiredZone(content);
  const changes = live === undefined ? [] : plan(desired, liveZone(live), owner).changes;
  const outcomes = changes.map((change) => ({ change, ...outcome }));
  return nextApplied(last, desired.content, documentedScoreRuleId, outcomes);
}

/** Names of resources, with a question mark where a field is not known. */
export function names(applied: AppliedZone): readonly string[] {
  return [...applied].map(([name, fields]) =>
    [...fields.values()].includes("?") ? `${name} ?` : name,
  );
}
