import type { Change } from "../../plan/change.ts";
import { driftWords } from "../../render/cause-text.ts";
import { driftLine } from "../../render/change-text.ts";
import {
  otherGroups,
  type PlanFacts,
  type PlanGroup,
  reviewGroups,
} from "../../render/plan-groups.ts";
import { weakeningOf } from "../../state/drift.ts";
import { isObservation } from "../../state/run-report.ts";
import { driftOf, holdsOf, type ZoneState } from "../../state/zone-state.ts";
import { shortDigest } from "../../syntax/digest.ts";
import { narrowed, select, type SelectedStates, type ZoneFilter } from "./selection.ts";

/** Why zones differ, are held or fail, with all zones of which it is true. */
export interface FleetCause extends PlanGroup {
  /** Names it in a link. */
  readonly id: string;
}

/** The selected zones, and why those that match the other filters differ, are held or fail. */
export function selectByCause(
  zones: readonly ZoneState[],
  selection: ZoneFilter,
  now: Date,
  size?: number,
): SelectedStates & { readonly causes: readonly FleetCause[] } {
  const causes = causesOf(narrowed(zones, selection), now);
  const { cause } = selection;
  const only =
    cause === "" ? undefined : new Set<string>(causes.find(({ id }) => id === cause)?.zones);
  return { ...select(zones, selection, only, size), causes };
}

/**
 * The causes as the comment and the terminal group them: drift that lowered the protection, what else a person must see
 * first, then the causes of the most zones.
 */
function causesOf(zones: readonly ZoneState[], now: Date): readonly FleetCause[] {
  const parts = zones.map((state) => {
    const lowered = weakeningOf(driftOf(state));
    const others = state.differing.filter((each) => !lowered.includes(each));
    return {
      facts: factsOfState(state, others, now),
      drift: { ...factsOfState(state, lowered, now), ...silent },
    };
  });
  const facts = parts.map((each) => each.facts);
  const drift = parts.map((each) => each.drift);
  const weakened = [...reviewGroups(drift), ...otherGroups(drift)].map((group): PlanGroup => {
    const code = driftLine(group.change === undefined ? [] : [group.change]);
    return { ...group, direction: "weakens", head: driftWords.weakens, code, text: "" };
  });
  const others = otherGroups(facts).toSorted((a, b) => b.zones.length - a.zones.length);
  return [...weakened, ...reviewGroups(facts), ...others].map((group) => {
    return { ...group, id: shortDigest(`${group.head} ${group.key}`) };
  });
}

const silent = { failures: [], holds: [], notes: [] } as const;

function factsOfState(state: ZoneState, changes: readonly Change[], at: Date): PlanFacts {
  const { declared, failure, notes } = state;
  return {
    zone: declared.name,
    failures: failure === undefined ? [] : [{ ...failure, what: "failed" }],
    holds: holdsOf(state).filter((hold) => !isObservation(hold)),
    changes,
    notes,
    at,
  };
}
