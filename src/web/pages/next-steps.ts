import { holdFacts } from "../../plan/guard/hold.ts";
import { isOfDaemon } from "../../plan/guard/release.ts";
import { isObservation } from "../../state/run-report.ts";
import { holdsOf, type ZoneState, type ZoneStatus } from "../../state/zone-state.ts";

/** What a person can do about a zone, as a command to copy. */
export interface NextStep {
  readonly what: string;
  readonly command: string;
}

/** What a person can do next about a zone, by its status. */
export function nextSteps(state: ZoneState): readonly NextStep[] {
  const { name, hold } = state.declared;
  const released = releases(state);
  const steps = {
    plan: { what: "See each difference", command: `zonewarden plan ${name}` },
    who: { what: "See who changed it", command: `zonewarden blame ${name}` },
    why: { what: "See why it is not written", command: `zonewarden explain zone ${name}` },
    apply: { what: "Write the declared state now", command: applyCommand(state) },
    keep: {
      what: "Keep what is live: print it as a zone file",
      command: `zonewarden import ${name}`,
    },
    past: { what: "See its past", command: `zonewarden history ${name}` },
    check: { what: "Find the mistake in the set-up", command: "zonewarden doctor" },
  } as const;
  const byStatus: Readonly<Record<ZoneStatus, readonly NextStep[]>> = {
    in_sync: [steps.past, steps.who],
    drifted: [steps.who, steps.plan, steps.apply, steps.keep],
    pending: [steps.plan, steps.why, steps.apply],
    differs: [steps.who, steps.plan, steps.apply, steps.keep],
    held: [steps.plan, ...released, steps.why],
    error: [steps.check, steps.why],
    unknown: [steps.why, steps.check],
    suspended: [steps.plan, steps.past],
  };
  const ofStatus = byStatus[state.status];
  if (hold === undefined) return ofStatus;
  // A command would write what the held revision declares.
  const others = ofStatus.filter((step) => step !== steps.apply);
  return [...new Set([steps.plan, ...released, steps.why, ...others])];
}

function applyCommand({ declared, holds }: ZoneState): string {
  const enforce = declared.mode === "observe" || holds.some(isObservation) ? "--enforce " : "";
  return `zonewarden apply ${enforce}${declared.name}`;
}

/** What releases the holds of a zone: of its plan, or of the whole revision. */
function releases(state: ZoneState): readonly NextStep[] {
  const holds = holdsOf(state);
  return holds.flatMap(({ reason, hash }) => {
    const { releasedBy } = holdFacts(reason);
    if (releasedBy === "plan" && isOfDaemon(holds)) return [];
    if (hash === undefined || releasedBy === undefined) return [];
    const [what, zone] =
      releasedBy === "plan"
        ? ["Release this plan", ` ${state.declared.name}`]
        : ["Accept the revision for all zones", ""];
    return [{ what, command: `zonewarden apply --accept ${hash}${zone}` }];
  });
}
