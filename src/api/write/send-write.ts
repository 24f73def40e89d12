import type { LiveEntrypoint, LiveZone } from "../../zone/live-zone.ts";
import type { Written } from "../../zone/ports.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Write } from "../../zone/write.ts";
import { readEntrypoint, readPolicies } from "../read/read-zone.ts";
import type { Fetched } from "../request/answer.ts";
import type { Send } from "../request/call.ts";
import { stateAfter } from "./state-after.ts";
import { writeCall } from "./write-call.ts";

/**
 * Sends one write and gives the state that it led to.
 *
 * A lost answer of a POST is not the end: what it was to create is looked for by its mark, since another POST would
 * create it twice (SERVICE.md A.6). Nothing found, or the answer of another write lost, is `API_UNKNOWN_OUTCOME`: the
 * next look at the zone decides.
 */
export async function sendWrite(
  send: Send,
  live: LiveZone,
  write: Write,
  signal: AbortSignal,
): Promise<Written> {
  let answer: Fetched | undefined;
  try {
    answer = await send(writeCall(live.zone, write), signal);
    const after = await stateAfter(send, live, write, answer.result(), signal);
    const interleaved = isInterleaved(live.entrypoint, after.entrypoint, answer.sendings);
    return { live: after, ray: answer.ray, interleaved };
  } catch (error) {
    if (!isUncertain(error, answer, signal)) throw error;
    const after = await stateWithCreated(send, live, write, signal);
    if (after === undefined) throw unknownOutcome(live, write, error);
    const ray = error instanceof ServiceError ? error.ray : "";
    return { live: after, ray, interleaved: false };
  }
}

/** Lets the service judge a write of a ruleset without storing it (SERVICE.md B.2); other writes it cannot judge. */
export async function check(
  send: Send,
  live: LiveZone,
  write: Write,
  signal: AbortSignal,
): Promise<"accepted" | "not-checkable"> {
  if (!isRulesetWrite(write)) return "not-checkable";
  const call = { ...writeCall(live.zone, write), query: { dry_run: "true" } };
  const { result: resultOf, status, ray } = await send(call, signal);
  const result = resultOf();
  if (result === null) return "accepted";
  const message = `${call.method} ${call.route}: the service does not know dry_run and may have carried the write out; look at the zone, and do not check against this service`;
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

/** Each stored change moves the version by one (SERVICE.md B.3); more than we sent was another hand (SERVICE.md C.6). */
function isInterleaved(
  before: LiveEntrypoint | undefined,
  after: LiveEntrypoint | undefined,
  sendings: number,
): boolean {
  if (after?.state !== "present" || before === undefined) return false;
  const moved = Number(after.version) - (before.state === "present" ? Number(before.version) : 0);
  return moved < 0 || moved > sendings;
}

function isUncertain(error: unknown, answer: Fetched | undefined, signal: AbortSignal): boolean {
  if (!(error instanceof ServiceError)) return signal.aborted;
  return answer !== undefined || error.mayHaveHappened;
}

/** The state in which what a POST was to create stands, under an id that was not there before. */
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
      const isThere = policies.some(
        (each) => !old.has(each.id) && each.description === description,
      );
      return isThere ? { ...live, policies } : undefined;
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
  const { method, route } = writeCall(zone, write);
  const message = `${method} ${route}: whether it took effect cannot be told (${reasonOf(cause)}); the next look at the zone decides`;
  const facts = { transient: true, mayHaveHappened: true, cause };
  const { status, ray, retryAfterMs } =
    cause instanceof ServiceError ? cause : { status: 0, ray: "", retryAfterMs: 0 };
  return new ServiceError("API_UNKNOWN_OUTCOME", message, { ...facts, status, ray, retryAfterMs });
}

function reasonOf(cause: unknown): string {
  return cause instanceof ServiceError ? cause.code : "it was given up while under way";
}
