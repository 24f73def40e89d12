import { isDeepStrictEqual } from "node:util";

import { coerceText, isJsonObject } from "../../syntax/json.ts";
import { listAt, type LiveEntrypoint, type LiveZone, rulesIn } from "../../zone/live-zone.ts";
import type { LiveWriter, RulesetsToRead, Written } from "../../zone/ports.ts";
import type { RulePhase } from "../../zone/rule-phase.ts";
import { ServiceError } from "../../zone/service-error.ts";
import { partOf, type Write } from "../../zone/write.ts";
import type { Zone } from "../../zone/zone.ts";
import { customRulesetOf, entrypointOf } from "../read/parse-entrypoint.ts";
import { settingsOf, wholePolicyOf } from "../read/parse-page-shield.ts";
import {
  requestCustomRulesets,
  requestEntrypoint,
  requestPolicies,
  requestSettings,
} from "../read/read-zone.ts";
import type { Fetched, Send, Get } from "../request/call.ts";
import { needsRuleset, requestFor } from "./write-request.ts";

/** Changes the service. */
export interface Writer extends LiveWriter {
  /**
   * Validates a write of a ruleset at the service without storing it; other writes cannot be
   * validated.
   */
  check(live: LiveZone, write: Write, signal: AbortSignal): Promise<"accepted" | "not-checkable">;
}

/** How to send the calls of a write of a zone: until `stop`, and after `beforeAttempt` each time. */
type SendFor = (zone: Zone, stop?: AbortSignal, beforeAttempt?: () => void) => Send;

export function createWriter(sendFor: SendFor): Writer {
  return {
    write: async (live, write, signal, stop, beforeAttempt) =>
      sendWrite(sendFor(live.zone, stop, beforeAttempt), live, write, signal),
    check: async (live, write, signal) => check(sendFor(live.zone), live, write, signal),
  };
}

/**
 * Sends one write and returns the state after it.
 *
 * After a lost answer to a POST, the created resource is looked up by its mark, since a second POST
 * would create it twice (SERVICE.md A.6). If it is not found, or the answer to another write is
 * lost, the error is `API_UNKNOWN_OUTCOME`: the next read of the zone decides.
 */
async function sendWrite(
  send: Send,
  live: LiveZone,
  write: Write,
  signal: AbortSignal,
): Promise<Written> {
  let answer: Fetched | undefined;
  try {
    answer = await send(requestFor(live, write), signal);
    // What the answer leaves out is read again.
    const after = stateShown(live, write, answer) ?? (await partRead(send, live, write, signal));
    const interleaved = isInterleaved(live, after.live, write, answer.attempts);
    return { ...after, ray: answer.ray, interleaved };
  } catch (error) {
    if (!isUncertain(error, answer, signal)) {
      throw (await conflictBehind(error, send, live, write, signal)) ?? error;
    }
    const after = await stateWithCreated(send, live, write, signal);
    if (after === undefined) throw unknownOutcome(live, write, error);
    const ray = error instanceof ServiceError ? error.ray : "";
    return { ...after, ray, interleaved: false };
  }
}

/**
 * Validates a write of a ruleset without storing it (SERVICE.md B.2); other writes cannot be
 * validated, nor one that depends on a ruleset which is still to be created.
 */
async function check(
  send: Send,
  live: LiveZone,
  write: Write,
  signal: AbortSignal,
): Promise<"accepted" | "not-checkable"> {
  if (!("phase" in write) || needsRuleset(live, write)) return "not-checkable";
  const call = { ...requestFor(live, write), query: { dry_run: "true" } };
  const { result: resultOf, status, ray } = await send(call, signal);
  const result = resultOf();
  if (result === null) return "accepted";
  const message = `${call.method} ${call.route}: the service ignored dry_run and may have stored the write; check the zone, and do not use check with this service`;
  throw new ServiceError("API_MALFORMED", message, { status, ray, mayHaveHappened: true });
}

/**
 * Each stored change increments the version (SERVICE.md B.3); a larger step means that somebody
 * else wrote (SERVICE.md C.6).
 */
function isInterleaved(
  live: LiveZone,
  liveAfter: LiveZone,
  write: Write,
  attempts: number,
): boolean {
  if (!("phase" in write)) return false;
  const [before, after] = [listAt(live, write), listAt(liveAfter, write)];
  if (after?.state !== "present" || before === undefined) return false;
  const increments =
    Number(after.version) - (before.state === "present" ? Number(before.version) : 0);
  return increments < 0 || increments > attempts;
}

function isUncertain(error: unknown, answer: Fetched | undefined, signal: AbortSignal): boolean {
  if (!(error instanceof ServiceError)) return signal.aborted;
  return answer !== undefined || error.mayHaveHappened;
}

/** The state after a write, and when and how much of it was read. */
type StateAfter = Pick<Written, "live" | "readAt" | "shows">;

/**
 * The state with the resource that a POST should create, under a new id; `undefined` if it is not
 * found.
 */
async function stateWithCreated(
  send: Send,
  live: LiveZone,
  write: Write,
  signal: AbortSignal,
): Promise<StateAfter | undefined> {
  if (!isCreate(write)) return undefined;
  try {
    const after = await partRead(send, live, write, signal);
    return isCreated(write, live, after.live) ? after : undefined;
  } catch (error) {
    if (!(error instanceof ServiceError) && !signal.aborted) throw error;
    return undefined;
  }
}

type Create = Extract<
  Write,
  { readonly call: "create-policy" | "create-rule" | "create-entrypoint" | "create-ruleset" }
>;

const creates = ["create-policy", "create-rule", "create-entrypoint", "create-ruleset"];

function isCreate(write: Write): write is Create {
  return creates.includes(write.call);
}

function isCreated(write: Create, before: LiveZone, after: LiveZone): boolean {
  if (write.call === "create-rule" || write.call === "create-entrypoint") {
    const refs = new Set<unknown>(rulesIn(listAt(after, write)).map(({ ref }) => ref));
    const bodies = write.call === "create-rule" ? [write.body] : write.rules;
    return bodies.every(({ ref }) => refs.has(ref));
  }
  const listIn = ({ policies = [], customRulesets = [] }: LiveZone) =>
    write.call === "create-policy" ? policies : customRulesets;
  const old = new Set(listIn(before).map(({ id }) => id));
  const { description } = write.body;
  return listIn(after).some((each) => !old.has(each.id) && each.description === description);
}

/**
 * A conflict, where the service refused a write of a rule since somebody else changed the ruleset after the read; `undefined`
 * if it did so for another reason, or that cannot be told.
 */
async function conflictBehind(
  error: unknown,
  send: Get,
  live: LiveZone,
  write: Write,
  signal: AbortSignal,
): Promise<ServiceError | undefined> {
  if (!(error instanceof ServiceError) || ![400, 404].includes(error.status)) return undefined;
  if (!("position" in write) && write.call !== "create-entrypoint") return undefined;
  try {
    const { live: now } = await partRead(send, live, write, signal);
    if (isDeepStrictEqual(listAt(now, write), listAt(live, write))) return undefined;
  } catch (failure) {
    if (!(failure instanceof ServiceError)) throw failure;
    return undefined;
  }
  const message = `${error.message}; somebody else has changed the ruleset since it was read: the next run plans again`;
  const { status, ray } = error;
  return new ServiceError("API_CONFLICT", message, { status, ray, transient: true, cause: error });
}

function unknownOutcome(live: LiveZone, write: Write, cause: unknown): ServiceError {
  const { method, route } = requestFor(live, write);
  const { code, status, ray, retryAfterMs } =
    cause instanceof ServiceError
      ? cause
      : { code: "aborted in flight", status: 0, ray: "", retryAfterMs: 0 };
  const message = `${method} ${route}: whether it took effect is unknown (${code}); the next read of the zone decides`;
  const facts = { status, ray, retryAfterMs, transient: true, mayHaveHappened: true, cause };
  return new ServiceError("API_UNKNOWN_OUTCOME", message, facts);
}

/** The state with the part that a write concerns, read again. */
async function partRead(
  send: Get,
  live: LiveZone,
  write: Write,
  signal: AbortSignal,
): Promise<StateAfter> {
  const part = partOf(write);
  if (part === "settings") {
    const read = await requestSettings(send, live.zone, signal);
    return wholePart({ ...live, settings: read.parse() }, read);
  }
  if (part === "policies") {
    const read = await requestPolicies(send, live.zone, signal);
    return wholePart({ ...live, policies: read.parse() }, read);
  }
  if (part === "custom_rulesets") {
    const read = await requestCustomRulesets(send, live.zone, toReadAfter(write, live), signal);
    const known = new Map(live.customRulesets?.map((each) => [each.id, each]));
    // What bears our mark only now was not read with its rules: the next run finds it.
    const customRulesets = read
      .parse()
      .flatMap((each) => (each.rules === undefined ? (known.get(each.id) ?? []) : each));
    return wholePart({ ...live, customRulesets }, read);
  }
  const read = await requestEntrypoint(send, live.zone, part, signal);
  return wholePart(withEntrypoint(live, part, read.parse()), read);
}

/**
 * The state after a write, as far as its answer shows it; `undefined` if it leaves something out.
 */
function stateShown(live: LiveZone, write: Write, answer: Fetched): StateAfter | undefined {
  if (write.call === "delete-policy") {
    const policies = live.policies?.filter(({ id }) => id !== write.id);
    return oneObject({ ...live, policies }, answer);
  }
  if (write.call === "delete-ruleset") {
    const customRulesets = live.customRulesets?.filter(({ id }) => id !== write.ruleset);
    return oneObject({ ...live, customRulesets }, answer);
  }
  const result = answer.result();
  const part = partOf(write);
  if (part === "settings") {
    // The documentation's example of the answer leaves two of the settings out (SERVICE.md A.2).
    const settings = settingsOf(result);
    return settings && wholePart({ ...live, settings }, answer);
  }
  if (part === "policies") {
    const policies = policiesAfter(live, result);
    return policies && oneObject({ ...live, policies }, answer);
  }
  if (part === "custom_rulesets") {
    const customRulesets = customRulesetsAfter(live, write, result);
    return customRulesets && oneObject({ ...live, customRulesets }, answer);
  }
  const entrypoint = wholeRuleset(result, live.entrypoints[part]);
  return entrypoint && wholePart(withEntrypoint(live, part, entrypoint), answer);
}

function withEntrypoint(live: LiveZone, phase: RulePhase, entrypoint: LiveEntrypoint): LiveZone {
  return { ...live, entrypoints: { ...live.entrypoints, [phase]: entrypoint } };
}

function wholePart(live: LiveZone, { sentAt }: Pick<Fetched, "sentAt">): StateAfter {
  return { live, readAt: sentAt, shows: "part" };
}

function oneObject(live: LiveZone, { sentAt }: Fetched): StateAfter {
  return { live, readAt: sentAt, shows: "object" };
}

/**
 * `undefined` if the answer is no complete policy: not all documentation says what an update
 * answers.
 */
function policiesAfter({ policies }: LiveZone, result: unknown): LiveZone["policies"] {
  const policy = wholePolicyOf(result);
  if (policy === undefined || policies === undefined) return undefined;
  const at = policies.findIndex(({ id }) => id === policy.id);
  return at < 0 ? [...policies, policy] : policies.with(at, policy);
}

/** What to read after a write to a custom ruleset: those that were read before, and a new one. */
function toReadAfter(write: Write, { customRulesets = [] }: LiveZone): RulesetsToRead {
  const ids = customRulesets.flatMap(({ id, rules }) => (rules === undefined ? [] : [id]));
  // Its description has our mark.
  return write.call === "create-ruleset"
    ? { ids, description: coerceText(write.body["description"]) }
    : { ids };
}

/** `undefined` if the answer is not the whole custom ruleset that was written. */
function customRulesetsAfter(
  live: LiveZone,
  write: Write,
  result: unknown,
): LiveZone["customRulesets"] {
  const before = live.customRulesets ?? [];
  const at = "ruleset" in write ? before.findIndex(({ id }) => id === write.ruleset) : -1;
  if (!isJsonObject(result) || !Array.isArray(result["rules"])) return undefined;
  const after = customRulesetOf(result);
  if (after === undefined || ("ruleset" in write && write.ruleset !== after.id)) return undefined;
  return at < 0 ? [...before, after] : before.with(at, after);
}

/**
 * The answer is the whole ruleset (SERVICE.md B.1), or, by other documentation, the single rule.
 */
function wholeRuleset(
  result: unknown,
  before: LiveEntrypoint | undefined,
): LiveEntrypoint | undefined {
  if (!isJsonObject(result) || !Array.isArray(result["rules"])) return undefined;
  const after = entrypointOf(result);
  return before?.state === "present" && before.id !== after?.id ? undefined : after;
}
