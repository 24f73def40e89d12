import type { CredentialState } from "../api/credentials/credential.ts";
import type { Election } from "../cluster/election.ts";
import type { Config } from "../desired/config/config.ts";
import type { ServiceClient } from "../host/connect.ts";
import { onlyStrengthens } from "../plan/change.ts";
import { writeHolds } from "../plan/guard/guard.ts";
import type { Hold } from "../plan/guard/hold.ts";
import { linkOf, type LinkAnswer, mayWrite } from "../plan/guard/may-write.ts";
import type { Reconciler } from "../reconcile/reconciler.ts";
import { windowsOf } from "../reconcile/schedule/windows.ts";
import type { ZoneState } from "../state/zone-state.ts";

/** What is asked about the Lease. */
type LeaseFacts = Pick<Election, "lease" | "identity"> & {
  readonly fence: Pick<Election["fence"], "isHeld">;
  readonly view: Pick<Election["view"], "holder">;
};

/** What is asked about the budgets of requests. */
interface BudgetFacts extends Pick<ServiceClient, "credentialOf"> {
  readonly credentials: readonly {
    readonly name: string;
    readonly state: Pick<CredentialState, "pause">;
  }[];
}

/** What is asked about a zone. */
export interface AnswerParts {
  readonly config: Pick<Config, "mode" | "windows">;
  readonly service: BudgetFacts;
  /** `undefined`: this process works alone. */
  readonly election: LeaseFacts | undefined;
  readonly reconciler: Pick<Reconciler, "waitOf">;
  readonly now: Date;
}

/** Whether the daemon would write a zone now, from what it knows: asks nothing of the service. */
export function writeAnswers(state: ZoneState, parts: AnswerParts): readonly LinkAnswer[] {
  const { declared, holds, failure, lastRun } = state;
  const ofPlan = holds.filter(({ reason }) => !isOfMoment(reason));
  const lastRead = failure === undefined ? undefined : `the last run failed: ${failure.message}`;
  return mayWrite({
    holds: [...holdsOfMoment(state, parts), ...ofPlan],
    fleet: parts.reconciler.waitOf(declared.name),
    revision: declared.hold,
    brokenFiles: declared.brokenFiles,
    lease: leaseReason(parts.election),
    read: lastRun === undefined ? "the zone was not read yet" : lastRead,
    budget: budgetReason(state, parts.service),
  });
}

/** Why this process must not write; `undefined`: it works alone, or holds the Lease. */
export function leaseReason(election: LeaseFacts | undefined): string | undefined {
  if (election === undefined || election.fence.isHeld()) return undefined;
  const { holder } = election.view;
  return holder === "" || holder === election.identity
    ? `this process does not hold the Lease ${election.lease}`
    : `${holder} holds the Lease ${election.lease}`;
}

/** Whether a hold follows from the clock and the configuration, and not from the plan alone. */
function isOfMoment(reason: Hold["reason"]): boolean {
  return ["mode", "suspension", "window"].includes(linkOf(reason));
}

function holdsOfMoment(
  { declared: { mode, suspension }, differing }: ZoneState,
  { config, now }: AnswerParts,
): readonly Hold[] {
  const open = windowsOf(config.windows).freezeAt(now);
  const passes = open?.letStrengtheningPass === true && differing.every(onlyStrengthens);
  const strictest = mode === "observe" ? mode : config.mode;
  return writeHolds({ mode: strictest, suspension, freeze: passes ? undefined : open, now });
}

function budgetReason({ zone }: ZoneState, service: BudgetFacts): string | undefined {
  if (zone === undefined) return undefined;
  const name = service.credentialOf(zone);
  const { pause } = service.credentials.find((each) => each.name === name)?.state ?? {};
  if (pause === undefined) return undefined;
  return `requests of the credential ${name} wait until ${pause.until.toISOString()} (${pause.reason})`;
}
