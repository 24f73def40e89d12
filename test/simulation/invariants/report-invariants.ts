import type { EmulatedZone } from "../../../src/emulator/state.ts";
import { planHash } from "../../../src/plan/guard/release.ts";
import type { Outcome, ZoneReport } from "../../../src/state/run-report.ts";
import { isRulesetWrite, partOf } from "../../../src/zone/write.ts";
import type { HeardReport, SentRequest } from "../ledger.ts";
import { declaredTo, type Invariant } from "./invariant.ts";
import { allRulesOf, customRulesetsOf, differencesOf, namesOfOurs } from "./oracle.ts";

const methods: Readonly<Record<Outcome["write"]["call"], string>> = {
  "update-settings": "PUT",
  "create-policy": "POST",
  "update-policy": "PUT",
  "delete-policy": "DELETE",
  "create-rule": "POST",
  "update-rule": "PATCH",
  "delete-rule": "DELETE",
  "create-entrypoint": "POST",
  "put-entrypoint": "PUT",
  "create-ruleset": "POST",
  "update-ruleset": "PUT",
  "delete-ruleset": "DELETE",
};

/** The requests that carried a write. */
function requestsOf({ write }: Outcome, { requests }: HeardReport): readonly SentRequest[] {
  const body = "body" in write ? write.body["description"] : undefined;
  return requests.filter(
    (request) =>
      request.method === methods[write.call] &&
      request.part === partOf(write) &&
      (!("ruleset" in write) || request.path.includes(`/rulesets/${write.ruleset}`)) &&
      (!isRulesetWrite(write) || /\/rulesets(?:\/[^/]+)?$/.test(request.path)) &&
      (!("id" in write) || request.path.endsWith(`/${write.id}`)) &&
      (typeof body !== "string" || request.body.includes(JSON.stringify(body))),
  );
}

/** Whether a zone is as a write leaves it: a DELETE of what is gone is done, and a create that somebody else sent too. */
function isAsWritten({ write }: Outcome, zone: EmulatedZone): boolean {
  const all = [...zone.policies, ...allRulesOf(zone)];
  if (write.call === "create-policy" || write.call === "create-rule") {
    return all.some(({ description }) => description === write.body["description"]);
  }
  if (write.call === "create-entrypoint") {
    return write.rules.every((rule) =>
      all.some(({ description }) => description === rule["description"]),
    );
  }
  if (write.call === "create-ruleset" || write.call === "delete-ruleset") {
    const isThere = customRulesetsOf(zone).some((each) =>
      write.call === "create-ruleset"
        ? each.description === write.body["description"]
        : each.id === write.ruleset,
    );
    return isThere === (write.call === "create-ruleset");
  }
  if (!("id" in write) || !write.call.startsWith("delete")) return false;
  return !all.some(({ id }) => id === write.id);
}

function outcomesOf({ report }: HeardReport): readonly Outcome[] {
  return report.result === "applied" ? report.outcomes : [];
}

/** The hash of the plan that a run applied, if any of it was written. */
function appliedHash(report: ZoneReport): string | undefined {
  if (report.result !== "applied") return undefined;
  return report.outcomes.some(({ status }) => status === "done")
    ? planHash(report.plan)
    : undefined;
}

export const reportInvariants: readonly Invariant[] = [
  {
    name: "a-release-is-used-once",
    sentence:
      "A process applies a plan once for each time that a person released it, also after the database was restored.",
    onReport: ({ process, report }, { ledger }) => {
      const hash = appliedHash(report);
      const released = ledger.released.filter((each) => each === hash).length;
      // Nobody had to release it.
      if (hash === undefined || released === 0) return undefined;
      const applied = ledger.reports.filter(
        (each) => each.process === process && appliedHash(each.report) === hash,
      ).length;
      return applied <= released
        ? undefined
        : `released ${released} times, applied ${applied} times: ${hash}`;
    },
  },
  {
    name: "held-writes-nothing",
    sentence:
      "A run that ends as held, in sync or with an error while it read has written nothing.",
    onReport: ({ report, requests }) => {
      if (report.result === "applied") return undefined;
      const effects = requests.flatMap((request) => request.effects);
      return effects.length === 0 ? undefined : `${report.zone} is ${report.result}`;
    },
  },
  {
    name: "done-is-done",
    sentence: "A write that is reported as done took effect, or the zone is as it would leave it.",
    onReport: (heard, { zone }) => {
      for (const outcome of outcomesOf(heard)) {
        if (outcome.status !== "done" || isAsWritten(outcome, zone(heard.report.zone))) continue;
        // A read after a lost answer may show an equal object that is gone since: the next sweep finds it.
        const written = partOf(outcome.write);
        if (heard.requests.some(({ part, staleMs }) => part === written && staleMs > 0)) continue;
        const effects = requestsOf(outcome, heard).flatMap((request) => request.effects);
        const isAnswered = requestsOf(outcome, heard).some(({ answer }) => answer === "ok");
        if (effects.length === 0 && !isAnswered) return `${outcome.write.call} had no effect`;
      }
      return undefined;
    },
  },
  {
    name: "failed-is-failed",
    sentence: "A write that is reported as failed or skipped took no effect, not even later.",
    atRest: ({ ledger }) => {
      for (const heard of ledger.reports) {
        for (const outcome of outcomesOf(heard)) {
          if (outcome.status !== "failed" && outcome.status !== "skipped") continue;
          const effects = requestsOf(outcome, heard).flatMap((request) => request.effects);
          if (effects.length > 0) {
            return `${outcome.write.call} is ${outcome.status}, and took effect at ${effects[0]?.at} ms`;
          }
        }
      }
      return undefined;
    },
  },
  {
    name: "effects-are-reported",
    sentence: "Each write that took effect during a run is in its report as done or unknown.",
    onReport: (heard) => {
      const known = outcomesOf(heard)
        .filter(({ status }) => status === "done" || status === "unknown")
        .flatMap((outcome) => requestsOf(outcome, heard));
      const missing = heard.requests.find(
        (request) => request.effects.length > 0 && !known.includes(request),
      );
      return missing === undefined
        ? undefined
        : `request ${missing.number} (${missing.method} ${missing.path}) is not in the report`;
    },
  },
  {
    name: "in-sync-is-true",
    sentence: "A zone that is reported as in sync is as declared, unless somebody just touched it.",
    onReport: ({ report, process, at }, truth) => {
      if (report.result !== "in_sync") return undefined;
      const { ledger, zone } = truth;
      // The clock on the wall may jump back during a run.
      const runMs = Math.abs(Number(report.finishedAt) - Number(report.startedAt));
      const since = at - runMs - 1_000;
      const declared = declaredTo(truth, report.zone, since);
      const [content] = declared;
      if (declared.length !== 1 || content === undefined) return undefined;
      if (ledger.isDisturbed(report.zone, since)) return undefined;
      if (ledger.isWrittenByOthers(report.zone, process, since)) return undefined;
      const differences = differencesOf(zone(report.zone), content);
      return differences.length === 0 ? undefined : `${report.zone}: ${differences.join(", ")}`;
    },
  },
  {
    name: "drift-has-an-author",
    sentence: "A zone drifts only after somebody else touched it, or a process with another state.",
    onReport: ({ report }, { ledger, isStateLost }) => {
      if (isStateLost) return undefined;
      if (!("plan" in report) || ledger.isDisturbed(report.zone)) return undefined;
      if (ledger.statesOf(report.zone).size > 1) return undefined;
      const drifted = report.plan.changes.find(({ causes }) =>
        causes.some(({ cause }) => cause === "drift"),
      );
      return drifted === undefined ? undefined : `${drifted.key} of ${report.zone} drifts`;
    },
  },
  {
    name: "one-object-a-mark",
    sentence: "At rest, no two objects of what is declared bear the same mark.",
    atRest: ({ zones, ledger }) => {
      for (const zone of zones) {
        const arePolicies = ledger.declaredNow(zone.name)?.policies !== undefined;
        const names = namesOfOurs(arePolicies ? zone : { ...zone, policies: [] });
        const twice = names.find((name, index) => names.indexOf(name) !== index);
        if (twice !== undefined) return `${zone.name} has ${twice} twice`;
      }
      return undefined;
    },
  },
];
