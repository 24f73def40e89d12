import { isDeepStrictEqual } from "node:util";

import type { Change } from "../../plan/change.ts";
import type { Hold } from "../../plan/guard/hold.ts";
import type { Plan } from "../../plan/plan.ts";
import {
  byPhase,
  declaredOf,
  type DesiredZone,
  type ZoneContent,
} from "../../zone/desired-zone.ts";
import { withStepValues } from "../../zone/promoted-objects.ts";
import { listKindOf } from "../../zone/resource.ts";
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
}

/** What a zone is compared with beside the active revision. */
export interface HeldRequest {
  readonly held: HeldDeclaration;
  /** Whether the zone may stay as it is, though the active revision would make these changes. */
  readonly mayStay: (setBack: Plan) => boolean;
}

/**
 * Tells whether a zone is live as a held revision declares it. The plan of the active revision is then held, unless
 * somebody also changed what both revisions declare alike: then only that is corrected.
 *
 * @param active the plan of the active revision.
 * @param planOf the plan of another declaration of the zone.
 */
export function asHeld(
  active: { readonly content: ZoneContent; readonly plan: Plan },
  { held, mayStay }: HeldRequest,
  planOf: (content: ZoneContent) => Plan,
): AsHeld | undefined {
  if (active.plan.changes.length === 0) return undefined;
  const declared = asFarAsRead(held.content, active.content);
  const ofHeld = planOf(declared);
  const content = withStepValues(declared, ofHeld.steps);
  const toHeld = ofHeld.changes;
  const setBack = changesToSetBack(active.plan.changes, toHeld, content);
  if (setBack.length === 0 || !mayStay({ ...active.plan, changes: setBack })) return undefined;
  const isCorrected = setBack.length < active.plan.changes.length;
  const hold = holdOf(held);
  const plan = isCorrected ? ofHeld : { ...active.plan, holds: [...active.plan.holds, hold] };
  return { content, toHeld, isCorrected, plan };
}

/** What the plan of a zone was compared with. */
export function comparedContent(
  staysAs: AsHeld | undefined,
  active: Pick<DesiredZone, "content">,
): ZoneContent {
  return staysAs?.isCorrected === true ? staysAs.content : active.content;
}

/** What was not read is not compared: it is not written either. */
function asFarAsRead(held: ZoneContent, active: ZoneContent): ZoneContent {
  return {
    ...active,
    settings: active.settings.length === 0 ? [] : held.settings,
    policies: active.policies && held.policies,
    rules: byPhase((phase) => active.rules[phase] && held.rules[phase]),
    customRulesets: active.customRulesets && held.customRulesets,
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
function declares(content: ZoneContent, { kind, key }: Change): boolean {
  if (kind === "setting") return content.settings.some(({ name }) => `setting/${name}` === key);
  return declaredOf(content, listKindOf(kind, key)) !== undefined;
}

function holdOf({ revision }: HeldDeclaration): Hold {
  return {
    reason: "set_back",
    message: `the held revision ${revision} is live here already, and the zone is not set back: accept the revision, revert the files`,
  };
}
