import type { HistoryEntry } from "../../../src/history/history.ts";
import type { ZoneReport } from "../../../src/state/run-report.ts";
import { coerceObject, parseJson } from "../../../src/syntax/json.ts";
import { type Disturbance, isRefusalEvent, isRequestFault, refused } from "../disturbances.ts";
import type { Ledger, SentRequest } from "../ledger.ts";
import type { Invariant } from "./invariant.ts";
import { executedIn, rulesMissing } from "./oracle.ts";

/** At rest: one for each worker, the lock of the state, and a retry that was once set. */
const mostTimers = 12;

/** A sweep of the fleet takes a minute of its budget. */
const patienceMs = 120_000;

export const restInvariants: readonly Invariant[] = [
  {
    name: "status-is-true",
    sentence: "At rest, the status page shows every zone as in sync, without drift or failures.",
    atRest: ({ main, zones }) => {
      for (const { name } of zones) {
        const state = main.term?.fleet.zone(name);
        if (state?.status !== "in_sync") return `${name} is shown as ${state?.status}`;
        if (state.driftedSince !== undefined) return `${name} is shown as drifted`;
        if (state.failure !== undefined) return `${name} is shown with ${state.failure.code}`;
      }
      return undefined;
    },
  },
  {
    name: "no-zone-delays-others",
    sentence: "Where requests of one zone fail, every other zone is run within two minutes.",
    atSweepEnd: (began, { ledger, zones }) => {
      if (ledger.disturbed.some(({ zone, does }) => zone === undefined || !isLocal(does))) {
        return undefined;
      }
      const troubled = new Set(ledger.disturbed.map(({ zone }) => zone));
      const late = zones.find(
        ({ name }) =>
          !troubled.has(name) &&
          !ledger.reports.some(
            ({ at, report: { zone, result } }) =>
              zone === name && at >= began && at - began <= patienceMs && hasLooked(result),
          ),
      );
      return late === undefined ? undefined : `${late.name} was not run after ${began} ms`;
    },
  },
  {
    name: "a-refused-rule-holds-itself",
    sentence: "A rule that the service refuses keeps no other rule from being written.",
    atSweepEnd: (_, { ledger, zones }) => {
      const events = new Set(ledger.disturbed.map(({ does }) => does));
      const [event] = events;
      if (event === undefined || events.size > 1 || !isRefusalEvent(event)) return undefined;
      for (const zone of zones) {
        const declared = ledger.declaredNow(zone.name);
        const missing = declared === undefined ? [] : rulesMissing(zone, declared);
        const wrong = missing.find((name) => name.split("/")[1] !== refused[event].key);
        if (wrong !== undefined) return `${wrong} of ${zone.name} is not as declared`;
      }
      return undefined;
    },
  },
  {
    name: "no-stuck-queue",
    sentence: "At rest, no zone waits and none is being run.",
    atRest: ({ main: { term } }) => {
      const [waiting, running] = [term?.reconciler.waiting, term?.reconciler.running.size];
      return waiting === 0 && running === 0 ? undefined : `${waiting} wait, ${running} run`;
    },
  },
  {
    name: "no-leaked-timer",
    sentence: "At rest few timers are set, and none after a process has stopped.",
    atRest: ({ main, timersOf }) => {
      const timers = timersOf(main);
      return timers <= mostTimers ? undefined : `${timers} timers`;
    },
    atStop: (process, { timersOf }) => {
      const timers = timersOf(process);
      return timers === 0 ? undefined : `${timers} timers after the end`;
    },
  },
  {
    name: "no-internal-error",
    sentence: "Nothing fails inside the program.",
    atRest: ({ internalErrors }) =>
      internalErrors.length === 0 ? undefined : internalErrors.join("; "),
  },
  {
    name: "history-is-complete",
    sentence:
      "Each run that wrote is in the history exactly once, with every write that took effect as done or unknown.",
    atRest: (truth) => {
      if (truth.isStateLost) return undefined;
      const { ledger, main, zones } = truth;
      const entries = zones.flatMap(({ name }) => main.history?.of(name) ?? []);
      const runs = entries.filter(hasWritten).map(({ run }) => run);
      const twice = runs.find((run, index) => runs.indexOf(run) !== index);
      if (twice !== undefined) return `${twice} is in the history twice`;
      for (const [run, effects] of effectsOfRuns(ledger)) {
        const entry = entries.findLast((each) => isOfRun(each, run, ledger));
        if (entry === undefined) return `run ${run} is not in the history`;
        const told = entry.changes.filter(
          ({ result }) => result === "done" || result === "unknown",
        );
        if (told.length < effects) return `of run ${run}, ${told.length} of ${effects} are told`;
      }
      return undefined;
    },
  },
];

function hasWritten({ changes }: HistoryEntry): boolean {
  return changes.some(({ result }) => result === "done" || result === "unknown");
}

/** Whether a run ended as it should: held for a person and planned are no such ends. */
function hasLooked(result: ZoneReport["result"]): boolean {
  return result === "in_sync" || result === "applied";
}

/** Whether only the zone of a request suffers: a lock-out, a crash or an edit concerns more. */
function isLocal(does: Disturbance): boolean {
  return isRequestFault(does) && !farReaching.includes(does);
}

const farReaching: readonly Disturbance[] = [
  "crash_before_send",
  "crash_after_effect",
  "rate_limited",
  "retry_after",
  "locked_out",
];

/** How many writes took effect in each run; a run that was killed is named by process and zone. */
function effectsOfRuns(ledger: Ledger): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const names = new Map(
    ledger.reports.flatMap(({ report, requests }) =>
      requests.map((request) => [request, report.run] as const),
    ),
  );
  const seen = new Set<string>();
  for (const request of ledger.requests) {
    const { sender, zone, effects, method, path, body } = request;
    if (sender === "plan" || effects.length === 0 || isPartOfChange(request)) continue;
    const run = names.get(request) ?? `${sender.pid} ${zone}`;
    // A write that is sent again is one write.
    const write = `${run} ${method} ${path} ${body}`;
    if (!seen.has(write)) counts.set(run, (counts.get(run) ?? 0) + 1);
    seen.add(write);
  }
  return counts;
}

/**
 * Whether a request may make a part of a change only: a custom ruleset and the rule that executes it are one resource, which is
 * told as done when both are; and the rules of an entry point come one by one, where the service refused one of them.
 */
function isPartOfChange({ method, body, part, path, effects }: SentRequest): boolean {
  if (part === "custom_rulesets" && /\/rulesets(?:\/[^/]+)?$/.test(path)) return true;
  const isOfOneRule = /\/rules(?:\/[^/]+)?$/.test(path);
  if (
    isOfOneRule &&
    effects.some(({ before, after }) => executedIn(before) !== executedIn(after))
  ) {
    return true;
  }
  const { rules } = coerceObject(parseJson(body));
  return method === "POST" && Array.isArray(rules) && rules.length === 0;
}

function isOfRun({ run, zone, result }: HistoryEntry, wanted: string, ledger: Ledger): boolean {
  if (run === wanted) return true;
  const [pid = ""] = run.split("-");
  const isReported = ledger.reports.some(
    ({ report }) => report.run === run && report.result === "applied",
  );
  return result === "interrupted" && !isReported && `${pid} ${zone}` === wanted;
}
