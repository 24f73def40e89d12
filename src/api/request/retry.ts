import type { RequestPriority } from "../../zone/ports.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Permit } from "../budget/budget.ts";
import { longestRetryAfterMs, rateView } from "../budget/rate-headers.ts";
import type { Credential } from "../credentials/credential.ts";
import type { Token } from "../credentials/token.ts";
import type { ZoneLister } from "../read/zone-listing.ts";
import { routes } from "../routes.ts";
import { wireCodes } from "../wire.ts";
import { answerOf, type Answer, type Fetched } from "./answer.ts";
import type { Call } from "./call.ts";
import { send, type Connection } from "./client.ts";
import type { KnownBodies } from "./known-bodies.ts";

/** How stubbornly a request is repeated. */
export interface RetryPolicy {
  /** Sendings at most, the first one included. */
  readonly attempts: number;
  /** Bound of the first wait; it doubles with each. */
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
  /** No wait begins that would end later than this after the end of the first sending. */
  readonly deadlineMs: number;
  /** The same after a 429: the token is locked (SERVICE.md C.3), and whoever holds it waits anyway. */
  readonly lockedDeadlineMs: number;
}

/** Leaves room for one `Retry-After` of ten minutes. */
const patientMs = longestRetryAfterMs + 120_000;

/** Of who does one thing and ends: five tries, waits up to 0.5, 1, 2 and 4 s, and a `Retry-After` waited for. */
export const patientRetry: RetryPolicy = {
  attempts: 5,
  firstWaitMs: 500,
  longestWaitMs: 30_000,
  deadlineMs: patientMs,
  lockedDeadlineMs: patientMs,
};

/** Of who comes back by himself: what one zone has to wait for must not keep a worker from the others. */
export const briefRetry: RetryPolicy = { ...patientRetry, attempts: 3, deadlineMs: 5_000 };

/** The service in the name of one credential. */
export interface RequestState {
  readonly connection: Connection;
  readonly credential: Credential;
  readonly retry: RetryPolicy;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly known: KnownBodies;
  readonly lister: ZoneLister;
}

/** What one sending came to; the token that it was sent with, once there was one. */
type Attempt = { readonly answer: Answer } | FailedAttempt;

interface FailedAttempt {
  readonly error: ServiceError;
  readonly token: Token | undefined;
}

/**
 * Sends a request, and again where that is harmless and may help. A POST that is repeated can create a thing twice
 * (SERVICE.md A.6).
 *
 * | what came back                               | GET, PUT, PATCH, DELETE | POST                     |
 * | -------------------------------------------- | ----------------------- | ------------------------ |
 * | 429, 409                                     | again                   | again                    |
 * | 401, 403 while the token is being changed    | again                   | again                    |
 * | no connection came about                     | again                   | again                    |
 * | it broke or took too long, 408, 5xx, cut JSON | again                  | never: may have happened |
 * | 404                                          | error; for DELETE done  | error                    |
 *
 * @param signal gives up whatever is under way.
 * @param stop begins nothing more; aborts with `signal` at the latest. What was sent before counts.
 */
export async function sendWithRetries(
  session: RequestState,
  priority: RequestPriority,
  call: Call,
  signal: AbortSignal,
  stop: AbortSignal = signal,
): Promise<Fetched> {
  const { clock, observer } = session.connection;
  let last: ServiceError | undefined;
  let firstEnd: number | undefined;
  try {
    for (let sendings = 1; ; sendings += 1) {
      const attempt = await sendOnce(session, priority, call, signal, stop);
      noteValidity(session.credential, call, attempt);
      if ("answer" in attempt) return { ...attempt.answer, sendings };
      const { error } = attempt;
      const { status, ray } = error;
      if (isGone(call, error)) return { ...nothing, status, ray, sendings };

      last = joined(error, last);
      firstEnd ??= clock.monotonicMs();
      const waitMs = await waitBefore(session, call, attempt, { sendings, firstEnd });
      if (waitMs === undefined) throw last;
      const { name: credential } = session.credential;
      const code = error.fault ?? status;
      observer.retry({ endpoint: call.route, method: call.method, code, credential, waitMs });
      await clock.sleep(waitMs, stop);
    }
  } catch (reason) {
    throw stop.aborted && !signal.aborted && last !== undefined ? last : reason;
  }
}

/** How long to wait before the next sending; `undefined` where there is to be none. */
async function waitBefore(
  session: RequestState,
  call: Call,
  attempt: FailedAttempt,
  { sendings, firstEnd }: { readonly sendings: number; readonly firstEnd: number },
): Promise<number | undefined> {
  const { credential, connection, retry } = session;
  const { error } = attempt;
  const mayRepeat = await helpsToRepeat(credential, call, attempt);
  const wait = waitFor(session, error, sendings);
  const isLocked = error.code === "API_RATE_LIMITED";
  if (isLocked) credential.budget.close(wait);
  const deadlineMs = isLocked ? retry.lockedDeadlineMs : retry.deadlineMs;
  const isLate = connection.clock.monotonicMs() - firstEnd + wait > deadlineMs;
  return mayRepeat && !isLate && sendings < retry.attempts ? wait : undefined;
}

/** An error that also stands for those of the sendings before it. */
function joined(error: ServiceError, before: ServiceError | undefined): ServiceError {
  const mayHaveHappened = error.mayHaveHappened || before?.mayHaveHappened === true;
  return error.with({ mayHaveHappened });
}

const nothing = {
  digest: "",
  result: () => null,
  resultInfo: () => undefined,
} as const;

async function sendOnce(
  session: RequestState,
  priority: RequestPriority,
  call: Call,
  signal: AbortSignal,
  stop: AbortSignal,
): Promise<Attempt> {
  const { credential, connection, known } = session;
  let token: Token | undefined;
  try {
    const permit = await credential.budget.acquire(priority, stop);
    let end: Parameters<Permit["end"]> = ["unsent", undefined];
    try {
      token = await credential.token();
      end = ["abandoned", undefined];
      const reply = await send(connection, { credential: credential.name, token }, call, signal);
      end = ["answered", rateView(reply.headers)];
      return { answer: answerOf(call, reply, { token, known, clock: connection.clock }) };
    } catch (error) {
      if (isOutOfReach(error)) end = ["unreachable", undefined];
      throw error;
    } finally {
      permit.end(...end);
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { error, token };
  }
}

/** A token that may not do one thing may be good for others. What a verification finds, it notes itself. */
function noteValidity(credential: Credential, { route }: Call, attempt: Attempt): void {
  if (route === routes.verifyUserToken || route === routes.verifyAccountToken) return;
  if ("answer" in attempt) credential.noteValid(true);
  else if (attempt.error.code === "API_UNAUTHORIZED") credential.noteValid(false);
}

function isOutOfReach(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error.status !== 0) return false;
  return error.code === "API_UNREACHABLE" || error.code === "API_TIMEOUT";
}

/** 404 answers a DELETE as well as 204 does, unless it is the address that is wrong (SERVICE.md C.2). */
function isGone(call: Call, error: ServiceError): boolean {
  const isAddress = error.wireCodes.some(
    (code) => code === wireCodes.couldNotRoute || code === wireCodes.noRoute,
  );
  return call.method === "DELETE" && error.status === 404 && !isAddress;
}

async function helpsToRepeat(
  credential: Credential,
  { method }: Call,
  { error, token }: FailedAttempt,
): Promise<boolean> {
  if (method === "POST" && error.mayHaveHappened) return false;
  if (error.code === "API_UNAUTHORIZED" || error.code === "API_FORBIDDEN") {
    return token !== undefined && credential.isRenewed(token);
  }
  // Neither a spent budget nor a missing token comes from the service: waiting for it here helps nobody.
  return error.transient && (error.status > 0 || error.fault !== undefined);
}

/** What the service asked for, and on top of it full jitter, so that those who failed together do not return together. */
function waitFor({ retry, random }: RequestState, error: ServiceError, sendings: number): number {
  const bound = Math.min(retry.longestWaitMs, retry.firstWaitMs * 2 ** (sendings - 1));
  return error.retryAfterMs + random() * bound;
}
