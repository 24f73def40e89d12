import { coerceObject, coerceObjects, coerceText, parseJson } from "../../../src/syntax/json.ts";
import { rulesetNameOf } from "../../../src/zone/managed-ruleset.ts";
import type { Disturbance } from "../disturbances.ts";
import type { SentRequest } from "../ledger.ts";
import {
  budget,
  maxFleetShare,
  minFleet,
  type SimulatedProcess,
} from "../world/simulated-process.ts";
import { declaredTo, type Invariant, type Truth } from "./invariant.ts";

/** As documented: a read expires after 60 s, which doubles each time that writes waited for longer, up to 15 min. */
const usualAgeMs = 60_000;
const longestAgeMs = 900_000;
/** What undoes what others did meanwhile rests on a read of 5 s. The time doubles with each further read. */
const freshAgeMs = 5_000;
/** What somebody did so long ago is no excuse any more: no read is older. */
export const memoryMs = 960_000;
/** How often the write gate checks. */
const gateMs = 5_000;

function isWrite({ method }: SentRequest): boolean {
  return method !== "GET";
}

/** The last request in which the sender saw the part of a zone that a write relies on. */
function lastView(write: SentRequest, { ledger }: Truth): SentRequest | undefined {
  return ledger.requests.findLast(
    (each) =>
      each !== write &&
      each.sender === write.sender &&
      each.zone === write.zone &&
      each.part === write.part &&
      each.answer === "ok" &&
      shows(each, write),
  );
}

/** An answer about one policy or custom ruleset shows that one; every other one shows the part. */
function shows({ method, part, path }: SentRequest, write: SentRequest): boolean {
  if (part === "custom_rulesets") return rulesetPathOf(path) === rulesetPathOf(write.path);
  if (method === "GET" || part !== "policies") return true;
  return method === "PUT" && write.method === "PUT" && path === write.path;
}

/** The path of the ruleset of a request for rules; of the whole list where it creates one. */
function rulesetPathOf(path: string): string {
  return path.replace(/\/rules(?:\/[^/]+)?$/, "");
}

/** Whether a write undoes what others did after the read: it replaces an entry point, or deletes a ruleset. */
export function replacesAll({ method, path }: Pick<SentRequest, "method" | "path">): boolean {
  if (method === "PUT") return path.endsWith("/entrypoint");
  return method === "DELETE" && /\/rulesets\/[^/]+$/.test(path);
}

/** How old a read may be: {@link usualAgeMs}, doubled with each run in a row whose read expired. */
export function maxAgeMs(process: SimulatedProcess, zone: string, { ledger }: Truth): number {
  let expiries = 0;
  for (const { process: by, report } of ledger.reports) {
    if (by !== process || report.zone !== zone) continue;
    if (report.result === "in_sync") expiries = 0;
    if (report.result !== "applied") continue;
    const skipped = report.outcomes.some(
      (outcome) => outcome.status === "skipped" && outcome.reason === "read_expired",
    );
    if (skipped) expiries += 1;
    else if (report.left.length === 0) expiries = 0;
  }
  return Math.min(usualAgeMs * 2 ** expiries, longestAgeMs);
}

function allowedAgeMs(write: SentRequest, truth: Truth): number {
  const { sender, zone = "" } = write;
  if (sender === "plan") return 0;
  if (!replacesAll(write)) {
    return maxAgeMs(sender, zone, truth) + gateMs;
  }
  const reads = truth.ledger
    .runningRequests(sender, zone)
    .filter(({ method, path }) => method === "GET" && path === write.path);
  return freshAgeMs * 2 ** Math.max(0, reads.length - 1);
}

/** What a create makes: a rule of this ref in a ruleset, all rules of a phase, or what the body says. */
function createdBy({ body, part, path }: SentRequest): string {
  if (part === "policies") return body;
  const { ref, phase, description } = coerceObject(parseJson(body));
  if (part === "custom_rulesets") return `${path} ${coerceText(ref) || coerceText(description)}`;
  return coerceText(ref) || coerceText(phase);
}

/** The custom rulesets that a rule, or the rules of a body, execute. */
function executedBy(body: object): readonly string[] {
  const { rules, action, action_parameters: parameters } = coerceObject(body);
  const inside = coerceObjects(rules).flatMap(executedBy);
  const id = coerceText(coerceObject(parameters)["id"]);
  const isManaged = rulesetNameOf(id) !== undefined;
  return action === "execute" && !isManaged ? [...inside, id] : inside;
}

/** What a zone is held for by itself, until somebody else changes it. */
const apart: ReadonlySet<string> = new Set(["unplaced", "in_use"]);

/** After these, the files declare fewer zones for a while. */
const leavingOut: readonly Disturbance[] = ["files_broken", "files_dropped"];

export const sendingInvariants: readonly Invariant[] = [
  {
    name: "budget",
    sentence: "A process never sends more requests within a window than its budget has.",
    onSend: ({ sender }, { ledger, now }) => {
      if (sender === "plan") return undefined;
      const since = now - budget.windowMs;
      const count = ledger.requests.filter((each) => each.sender === sender && each.at > since);
      return count.length <= budget.requests ? undefined : `${count.length} requests in 60 s`;
    },
  },
  {
    name: "no-write-on-an-old-read",
    sentence:
      "No write is sent on a reading that is older than documented, and none of a rule before its phase was read.",
    onSend: (request, truth) => {
      if (!isWrite(request)) return undefined;
      const view = lastView(request, truth);
      if (view === undefined) return "nothing was read before";
      const ageMs = truth.now - view.at;
      const allowedMs = allowedAgeMs(request, truth);
      return ageMs <= allowedMs
        ? undefined
        : `the read is ${ageMs} ms old, ${allowedMs} are allowed`;
    },
  },
  {
    name: "no-blind-post",
    sentence: "A create whose outcome is not known is sent again only after the zone was read.",
    onSend: (request, { ledger }) => {
      if (request.method !== "POST") return undefined;
      const before = ledger.requests.findLast(
        (each) =>
          each !== request &&
          each.sender === request.sender &&
          each.method === "POST" &&
          each.zone === request.zone &&
          each.part === request.part &&
          createdBy(each) === createdBy(request) &&
          each.answer !== "refused",
      );
      if (before === undefined) return undefined;
      const wasRead = ledger.requests.some(
        (each) =>
          each.number > before.number &&
          each.sender === request.sender &&
          each.zone === request.zone &&
          each.part === request.part &&
          each.method === "GET" &&
          each.answer === "ok" &&
          shows(each, request),
      );
      return wasRead ? undefined : `it was sent as request ${before.number} already`;
    },
  },
  {
    name: "executed-while-it-is-there",
    sentence:
      "A ruleset is created before the rule that executes it, and deleted after it, unless somebody else changed the zone.",
    onSend: (request, { ledger, now, zone }) => {
      if (!isWrite(request) || request.zone === undefined) return undefined;
      if (ledger.isDisturbed(request.zone, now - memoryMs)) return undefined;
      const { rulesets } = zone(request.zone);
      const executed = executedBy(coerceObject(parseJson(request.body)));
      const missing = executed.find((id) => !rulesets.some(({ current }) => current.id === id));
      if (missing !== undefined) return `the ruleset ${missing} is not there`;
      if (!replacesAll(request) || request.method !== "DELETE") return undefined;
      const rules = rulesets.flatMap(({ current }) => executedBy({ rules: [...current.rules] }));
      const isExecuted = rules.some((id) => request.path.endsWith(`/${id}`));
      return isExecuted ? "a rule executes the ruleset that is deleted" : undefined;
    },
  },
  {
    name: "observe-writes-nothing",
    sentence: "While the mode is observe, nothing is written.",
    onSend: (request, { mode, now }) =>
      isWrite(request) && mode.name === "observe" && mode.since < now ? "a write" : undefined,
  },
  {
    name: "freeze-writes-nothing",
    sentence: "While a freeze is open, nothing is written.",
    onSend: (request, { freeze, wall, now }) => {
      if (!isWrite(request) || freeze === undefined) return undefined;
      if (now - freeze.since <= gateMs) return undefined;
      const minute = wall.getUTCHours() * 60 + wall.getUTCMinutes();
      return minute >= freeze.from && minute < freeze.to ? "a write" : undefined;
    },
  },
  {
    name: "suspend-writes-nothing",
    sentence: "A zone that is suspended, or not declared, is not written.",
    onSend: (request, truth) => {
      if (!isWrite(request) || request.zone === undefined) return undefined;
      const declared = declaredTo(truth, request.zone, truth.now - gateMs);
      const isWritten = declared.some((each) => each !== undefined && !each.isSuspended);
      return isWritten ? undefined : `a write to ${request.zone}`;
    },
  },
  {
    name: "first-round-is-judged",
    sentence:
      "A process that does not know what was applied changes no more zones than the fleet limit, unless a person accepts it.",
    onSend: (request, { ledger, zones, isStateLost }) => {
      const { sender, zone } = request;
      if (!isWrite(request) || sender === "plan" || zones.length < minFleet) return undefined;
      const { files } = sender;
      // What a person accepted stays accepted: a process whose state is lost may plan the same again.
      if (ledger.accepted.length > 0) return undefined;
      // Zones that the files add after the first round do not count for any guard.
      if (ledger.disturbed.some(({ does }) => leavingOut.includes(does))) return undefined;
      const known = ledger.reports
        .filter(({ process, report }) => process.files === files && report.result === "in_sync")
        .map(({ report }): string => report.zone);
      // One that is held for itself when the others are judged comes later.
      const heldApart = ledger.reports.flatMap(({ report }) =>
        report.result === "held" && report.holds.some(({ reason }) => apart.has(reason))
          ? [String(report.zone)]
          : [],
      );
      const unknown = zones
        .map(({ name }) => name)
        .filter((name) => !known.includes(name) && !heldApart.includes(name));
      const written = unknown.filter((name) =>
        ledger.requests.some(
          (each) =>
            isWrite(each) &&
            each.sender !== "plan" &&
            // What it let pass is lost with the last line of the state.
            (isStateLost ? each.sender === sender : each.sender.files === files) &&
            each.zone === name,
        ),
      );
      const isOver = written.length / zones.length > maxFleetShare;
      return isOver ? `${zone}, the ${written.length}th of ${zones.length}` : undefined;
    },
  },
  {
    name: "one-writer-a-database",
    sentence:
      "Once another process has begun to work with the same database, a process writes nothing.",
    onSend: (request) => {
      const { sender } = request;
      if (!isWrite(request) || sender === "plan") return undefined;
      const { database } = sender.files;
      return database === undefined || database.leader === sender ? undefined : "a write";
    },
  },
  {
    name: "plan-sends-no-write",
    sentence: "A command that only plans sends no write.",
    onSend: (request) => (isWrite(request) && request.sender === "plan" ? "a write" : undefined),
  },
];
