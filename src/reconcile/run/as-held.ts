import { isDeepStrictEqual } from "node:util";

import type { Change } from "../../plan/change.ts";
import type { Hold } from "../../plan/guard/hold.ts";
import type { Plan } from "../../plan/plan.ts";
import { needScoreRule } from "../../plan/rules/owasp-tuning.ts";
import type { DesiredZone, ZoneContent } from "../../zone/desired-zone.ts";
import type { LiveZone } from "../../zone/live-zone.ts";
import type { LiveReader, RequestPriority } from "../../zone/ports.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { HeldDeclaration } from "../fleet/desired-fleet.ts";

/**
 * A zone that is live as a held revision declares it: somebody applied it from the command line. The active revision does
 * not undo that.
 */
export interface AsHeld {
  /** What the held revision declares, as far as the active one declares anything. */
  readonly content: ZoneContent;
  /** The changes from the live state to that. */
  readonly toHeld: readonly Change[];
  /** Those that the active revision wants too are made. `false`: there are none, and the plan is held. */
  readonly isCorrected: boolean;
  /** The plan to go on with: that of the active revision where it is held. */
  readonly plan: Plan;
  /** With the score rule, where the held revision needs it. */
  readonly live: LiveZone;
}

/** What a zone is compared with beside the active revision. */
export interface HeldRequest {
  readonly held: HeldDeclaration;
  /** Whether the zone may stay as it is, though the active revision would make these changes. */
  readonly mayStay: (setBack: readonly Change[]) => boolean;
}

/**
 * Tells whether a zone is live as a held revision declares it. The plan of the active revision is then held, unless
 * somebody also changed what both revisions declare alike: then only that is corrected.
 *
 * @param active the plan of the active revision.
 * @param planOf the plan of another declaration of the zone.
 * @param readRule reads the score rule; is called where only the held revision needs it.
 */
export async function asHeld(
  active: { readonly content: ZoneContent; readonly plan: Plan },
  live: LiveZone,
  { held, mayStay }: HeldRequest,
  planOf: (content: ZoneContent, live: LiveZone) => Plan,
  readRule: () => Promise<LiveZone["scoreRule"]>,
): Promise<AsHeld | undefined> {
  if (active.plan.changes.length === 0) return undefined;
  const content = asFarAsRead(held.content, active.content);
  const needsMore = live.scoreRule === undefined && needScoreRule(content.rules?.items ?? []);
  const scoreRule = needsMore ? await readRule() : live.scoreRule;
  if (needsMore && scoreRule === undefined) return undefined;
  const whole = { ...live, scoreRule };
  const ofHeld = planOf(content, whole);
  const toHeld = ofHeld.changes;
  const setBack = changesToSetBack(active.plan.changes, toHeld, content);
  if (setBack.length === 0 || !mayStay(setBack)) return undefined;
  const isCorrected = setBack.length < active.plan.changes.length;
  const hold = holdOf(held);
  const plan = isCorrected ? ofHeld : { ...active.plan, holds: [...active.plan.holds, hold] };
  return { content, toHeld, isCorrected, plan, live: whole };
}

/** What the plan of a zone was compared with. */
export function comparedContent(
  left: AsHeld | undefined,
  active: Pick<DesiredZone, "content">,
): ZoneContent {
  return left?.isCorrected === true ? left.content : active.content;
}

/** The score rule; `undefined` if the token may not read it. */
export async function readScoreRule(
  reader: Pick<LiveReader, "readAnswers">,
  { zone }: LiveZone,
  priority: RequestPriority,
  signal: AbortSignal,
): Promise<LiveZone["scoreRule"]> {
  const parts = { settings: false, policies: false, rules: false, scoreRule: true };
  try {
    const answers = await reader.readAnswers(zone, parts, priority, signal);
    return answers.live().scoreRule;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.transient) throw error;
    return undefined;
  }
}

/** What was not read is not compared: it is not written either. */
function asFarAsRead(held: ZoneContent, active: ZoneContent): ZoneContent {
  return {
    ...active,
    settings: active.settings.length === 0 ? [] : held.settings,
    policies: active.policies && held.policies,
    rules: active.rules && held.rules,
  };
}

/**
 * The changes of the active revision that would undo the held one; none if anything live is neither as the one declares
 * nor as the other. A change that both revisions need in the same way is the correction of something else.
 */
function changesToSetBack(
  toActive: readonly Change[],
  toHeld: readonly Change[],
  held: ZoneContent,
): readonly Change[] {
  const byKey = new Map(toHeld.map((change) => [change.key, change]));
  const setBack = toActive.filter(({ key }) => !byKey.has(key));
  const isDeclared = setBack.every((change) => declares(held, change));
  const both = toActive.filter(({ key }) => byKey.has(key));
  const isAlike =
    both.length === 0 ||
    (both.length === toHeld.length &&
      both.every((change) => isDeepStrictEqual(change, byKey.get(change.key))));
  return isDeclared && isAlike ? setBack : [];
}

/** Whether content says anything of the resource of a change: a part that it does not declare is not applied. */
function declares({ settings, policies, rules }: ZoneContent, { kind, key }: Change): boolean {
  switch (kind) {
    case "setting":
      return settings.some(({ name }) => `setting/${name}` === key);
    case "policy":
      return policies !== undefined;
    case "rule":
      return rules !== undefined;
  }
}

function holdOf({ revision }: HeldDeclaration): Hold {
  return {
    reason: "set_back",
    message: `the held revision ${revision} is live here already, and the zone is not set back: accept the revision, revert the files`,
  };
}
