import { isJsonObject } from "../../syntax/json.ts";
import type { LiveEntrypoint, LiveZone, LivePolicy } from "../../zone/live-zone.ts";
import type { Written } from "../../zone/ports.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Write } from "../../zone/write.ts";
import { entrypointOf } from "../read/parse-entrypoint.ts";
import { policyOf, settingsOf } from "../read/parse-page-shield.ts";
import { readEntrypoint, readPolicies, readSettings } from "../read/read-zone.ts";
import type { Fetched, Send, Get } from "../request/call.ts";
import { requestFor } from "./write-request.ts";

/**
 * Sends one write and returns the state after it.
 *
 * After a lost answer to a POST, the created resource is looked up by its mark, since a second POST would create it
 * twice (SERVICE.md A.6). If it is not found, or the answer to another write is lost, the error is
 * `API_UNKNOWN_OUTCOME`: the next read of the zone decides.
 */
export async function sendWrite(
  send: Send,
  live: LiveZone,
  write: Write,
  signal: AbortSignal,
): Promise<Written> {
  let answer: Fetched | undefined;
  try {
    answer = await send(requestFor(live.zone, write), signal);
    const after = await stateAfter(send, live, write, answer.result(), signal);
    const interleaved = isInterleaved(live.entrypoint, after.entrypoint, answer.attempts);
    return { live: after, ray: answer.ray, interleaved };
  } catch (error) {
    if (!isUncertain(error, answer, signal)) throw error;
    const after = await stateWithCreated(send, live, write, signal);
    if (after === undefined) throw unknownOutcome(live, write, error);
    const ray = error instanceof ServiceError ? error.ray : "";
    return { live: after, ray, interleaved: false };
  }
}

/** Validates a write of a ruleset without storing it (SERVICE.md B.2); other writes cannot be validated. */
export async function check(
  send: Send,
  live: LiveZone,
  write: Write,
  signal: AbortSignal,
): Promise<"accepted" | "not-checkable"> {
  if (!isRulesetWrite(write)) return "not-checkable";
  const call = { ...requestFor(live.zone, write), query: { dry_run: "true" } };
  const { result: resultOf, status, ray } = await send(call, signal);
  const result = resultOf();
  if (result === null) return "accepted";
  const message = `${call.method} ${call.route}: the service ignored dry_run and may have stored the write; check the zone, and do not use check with this service`;
  throw new ServiceError("API_MALFORMED", message, { status, ray, mayHaveHappened: true });
}

function isRulesetWrite(write: Write): boolean {
  switch (write.call) {
    case "create-rule":
    case "update-rule":
    case "delete-rule":
    case "put-entrypoint":
      return true;
    case "update-settings":
    case "create-policy":
    case "update-policy":
    case "delete-policy":
      return false;
  }
}

/** Each stored change increments the version (SERVICE.md B.3); a larger step means that somebody else wrote (SERVICE.md C.6). */
function isInterleaved(
  before: LiveEntrypoint | undefined,
  after: LiveEntrypoint | undefined,
  attempts: number,
): boolean {
  if (after?.state !== "present" || before === undefined) return false;
  const increments =
    Number(after.version) - (before.state === "present" ? Number(before.version) : 0);
  return increments < 0 || increments > attempts;
}

function isUncertain(error: unknown, answer: Fetched | undefined, signal: AbortSignal): boolean {
  if (!(error instanceof ServiceError)) return signal.aborted;
  return answer !== undefined || error.mayHaveHappened;
}

/** The state with the resource that a POST should create, under a new id; `undefined` where it is not found. */
async function stateWithCreated(
  send: Send,
  live: LiveZone,
  write: Write,
  signal: AbortSignal,
): Promise<LiveZone | undefined> {
  try {
    if (write.call === "create-policy") {
      const policies = await readPolicies(send, live.zone, signal);
      const old = new Set(live.policies?.map(({ id }) => id));
      const { description } = write.body;
      const isFound = policies.some(
        (each) => !old.has(each.id) && each.description === description,
      );
      return isFound ? { ...live, policies } : undefined;
    }
    if (write.call === "create-rule") {
      const entrypoint = await readEntrypoint(send, live.zone, signal);
      const rules = entrypoint.state === "present" ? entrypoint.rules : [];
      return rules.some(({ ref }) => ref === write.body["ref"])
        ? { ...live, entrypoint }
        : undefined;
    }
  } catch (error) {
    if (!(error instanceof ServiceError) && !signal.aborted) throw error;
  }
  return undefined;
}

function unknownOutcome({ zone }: LiveZone, write: Write, cause: unknown): ServiceError {
  const { method, route } = requestFor(zone, write);
  const message = `${method} ${route}: whether it took effect is unknown (${reasonOf(cause)}); the next read of the zone decides`;
  const facts = { transient: true, mayHaveHappened: true, cause };
  const { status, ray, retryAfterMs } =
    cause instanceof ServiceError ? cause : { status: 0, ray: "", retryAfterMs: 0 };
  return new ServiceError("API_UNKNOWN_OUTCOME", message, { ...facts, status, ray, retryAfterMs });
}

function reasonOf(cause: unknown): string {
  return cause instanceof ServiceError ? cause.code : "aborted in flight";
}

/** Folds the answer of a write into the state that was read; what the answer leaves out is read again. */
async function stateAfter(
  send: Get,
  live: LiveZone,
  write: Write,
  result: unknown,
  signal: AbortSignal,
): Promise<LiveZone> {
  switch (write.call) {
    case "update-settings":
      // The documentation's example of the answer leaves two of the settings out (SERVICE.md A.2).
      return {
        ...live,
        settings: settingsOf(result) ?? (await readSettings(send, live.zone, signal)),
      };
    case "create-policy":
    case "update-policy":
      return { ...live, policies: await policiesAfter(send, live, result, signal) };
    case "delete-policy":
      return { ...live, policies: live.policies?.filter(({ id }) => id !== write.id) };
    case "create-rule":
    case "update-rule":
    case "delete-rule":
    case "put-entrypoint":
      return {
        ...live,
        entrypoint:
          wholeRuleset(result, live.entrypoint) ?? (await readEntrypoint(send, live.zone, signal)),
      };
  }
}

const policyFields = ["id", "description", "action", "expression", "enabled", "value"];

/** Not all documentation says what an update answers: only a complete policy is used. */
async function policiesAfter(
  send: Get,
  { zone, policies }: LiveZone,
  result: unknown,
  signal: AbortSignal,
): Promise<readonly LivePolicy[]> {
  const isWhole = isJsonObject(result) && policyFields.every((field) => field in result);
  const policy = isWhole ? policyOf(result) : undefined;
  if (policy === undefined || policies === undefined) return readPolicies(send, zone, signal);
  const at = policies.findIndex(({ id }) => id === policy.id);
  return at < 0 ? [...policies, policy] : policies.with(at, policy);
}

/** The answer is the whole ruleset (SERVICE.md B.1), or, by other documentation, the single rule. */
function wholeRuleset(
  result: unknown,
  before: LiveEntrypoint | undefined,
): LiveEntrypoint | undefined {
  if (!isJsonObject(result) || !Array.isArray(result["rules"])) return undefined;
  const after = entrypointOf(result);
  return before?.state === "present" && before.id !== after?.id ? undefined : after;
}
