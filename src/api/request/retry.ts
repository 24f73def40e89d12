import type { RequestPriority } from "../../zone/ports.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Permit } from "../budget/budget.ts";
import { type Headers, maxRetryAfterMs, rateView } from "../budget/rate-headers.ts";
import type { Credential } from "../credentials/credential.ts";
import type { Token } from "../credentials/token.ts";
import type { ZoneLister } from "../read/zone-listing.ts";
import { routes } from "../routes.ts";
import { wireCodes } from "../wire.ts";
import { answerOf, type KnownBodies } from "./answer.ts";
import { type Answer, type Call, type Fetched, isRead } from "./call.ts";
import { type ServiceConnection, send } from "./client.ts";
import type { SentWrites } from "./sent-writes.ts";

/** When a request is sent again. */
export interface RetryPolicy {
  /** Attempts at most, the first one included. */
  readonly maxAttempts: number;
  /** Bound of the first wait; it doubles with each attempt. */
  readonly firstWaitMs: number;
  readonly maxWaitMs: number;
  /** No wait may end later than this after the end of the first attempt. */
  readonly deadlineMs: number;
  /**
   * The same after a 429: the rate limit binds the whole token (SERVICE.md C.3), so all its
   * requests wait anyway.
   */
  readonly rateLimitDeadlineMs: number;
}

/** Leaves room for one `Retry-After` of ten minutes. */
const commandDeadlineMs = maxRetryAfterMs + 120_000;

/** For commands: five attempts, waits up to 0.5, 1, 2 and 4 s, and the whole `Retry-After`. */
export const commandRetry: RetryPolicy = {
  maxAttempts: 5,
  firstWaitMs: 500,
  maxWaitMs: 30_000,
  deadlineMs: commandDeadlineMs,
  rateLimitDeadlineMs: commandDeadlineMs,
};

/**
 * For the daemon, which reconciles a failed zone again: a long wait for one zone must not block a
 * worker.
 */
export const daemonRetry: RetryPolicy = { ...commandRetry, maxAttempts: 3, deadlineMs: 5_000 };

/** The service, reached with one credential. */
export interface ServiceSession {
  readonly connection: ServiceConnection;
  readonly credential: Credential;
  readonly retry: RetryPolicy;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly known: KnownBodies;
  readonly lister: ZoneLister;
}

type Attempt = ({ readonly answer: Answer } | FailedAttempt) & { readonly sentAt: number };

interface FailedAttempt {
  readonly error: ServiceError;
  readonly token: Token | undefined;
}

/**
 * Sends a request, and retries if that is safe and may help. A retried POST can create a resource twice
 * (SERVICE.md A.6).
 *
 * | result                                       | GET, PUT, PATCH, DELETE | POST                     |
 * | -------------------------------------------- | ----------------------- | ------------------------ |
 * | 429, 409                                     | retry                   | retry                    |
 * | 401, 403 while the token is being changed    | retry                   | retry                    |
 * | no connection                                | retry                   | retry                    |
 * | broken connection, timeout, 408, 5xx, truncated JSON | retry           | never: may have happened |
 * | 404                                          | error; for DELETE done  | error                    |
 *
 * @param signal aborts also a request in flight.
 * @param stop prevents further attempts; aborts with `signal` at the latest. Attempts before it count.
 * @param beforeAttempt is called just before each attempt of a write, and may abort `stop`.
 */
export async function sendWithRetries(
  session: ServiceSession,
  priority: RequestPriority,
  call: Call,
  signal: AbortSignal,
  stop: AbortSignal = signal,
  beforeAttempt?: () => void,
): Promise<Fetched> {
  const { credential, connection } = session;
  const { clock } = connection;
  let last: ServiceError | undefined;
  let firstEnd: number | undefined;
  try {
    for (let attempts = 1; ; attempts += 1) {
      const attempt = await sendOnce(session, priority, call, signal, stop, beforeAttempt);
      noteValidity(credential, call, attempt);
      const { sentAt } = attempt;
      if ("answer" in attempt) return { ...attempt.answer, sentAt, attempts };
      const { error } = attempt;
      const { status, ray } = error;
      if (isGone(call, error)) return { ...noResult, status, ray, sentAt, attempts };

      last = withPrevious(error, last).with({ sentAt });
      firstEnd ??= clock.monotonicMs();
      const waitMs = waitFor(session, error, attempts);
      pauseIfRateLimited(credential, call, error, waitMs);
      const isLast = isLastAttempt(session, error, { attempts, firstEnd, waitMs });
      if (isLast || !(await mayHelp(credential, call, attempt))) throw last;

      reportRetry(session, call, error, waitMs);
      await clock.sleep(waitMs, stop);
    }
  } catch (reason) {
    const isStopped = stop.aborted && !signal.aborted;
    throw isStopped ? (last ?? reason) : reason;
  }
}

/**
 * The audit log and the analytics may have limits of their own, and fail on their own: neither must slow the protection,
 * which does not need them.
 */
function isApart({ route }: Call): boolean {
  return route === routes.auditLog || route === routes.graphql;
}

function reportRetry(
  { connection, credential }: ServiceSession,
  { method, route: endpoint }: Call,
  { fault, status }: ServiceError,
  waitMs: number,
): void {
  const { name } = credential;
  connection.observer.retry({ endpoint, method, code: fault ?? status, credential: name, waitMs });
}

/**
 * The rate limit binds the token: after a 429 no request of the credential is sent before the wait
 * is over.
 */
function pauseIfRateLimited(
  { budget }: Credential,
  call: Call,
  { code }: ServiceError,
  waitMs: number,
): void {
  if (code === "API_RATE_LIMITED" && !isApart(call)) budget.pauseFor(waitMs);
}

/** An error that also stands for the errors of the previous attempts. */
function withPrevious(error: ServiceError, previous: ServiceError | undefined): ServiceError {
  return previous?.mayHaveHappened === true ? error.with({ mayHaveHappened: true }) : error;
}

/** Whether the attempts are used up, or the next one would exceed the deadline. */
function isLastAttempt(
  { retry, connection }: ServiceSession,
  { code }: ServiceError,
  { attempts, firstEnd, waitMs }: Readonly<Record<"attempts" | "firstEnd" | "waitMs", number>>,
): boolean {
  const deadlineMs = code === "API_RATE_LIMITED" ? retry.rateLimitDeadlineMs : retry.deadlineMs;
  const isTooLate = connection.clock.monotonicMs() - firstEnd + waitMs > deadlineMs;
  return isTooLate || attempts >= retry.maxAttempts;
}

/** The answer to a DELETE of a resource that does not exist. */
const noResult = { digest: "", result: () => null, resultInfo: () => undefined } as const;

async function sendOnce(
  session: ServiceSession,
  priority: RequestPriority,
  call: Call,
  signal: AbortSignal,
  stop: AbortSignal,
  beforeAttempt: (() => void) | undefined,
): Promise<Attempt> {
  const { credential, connection, known } = session;
  const { clock } = connection;
  let sentAt = clock.monotonicMs();
  let token: Token | undefined;
  try {
    const permit = await credential.budget.acquire(priority, stop);
    let end: Parameters<Permit["end"]> = ["unsent", undefined];
    let noteEnd: ReturnType<SentWrites["begin"]> | undefined;
    let headers: Headers | undefined;
    try {
      token = await credential.token();
      end = ["aborted", undefined];
      sentAt = clock.monotonicMs();
      const identity = { credential: credential.name, token };
      const check = checkBefore(call, connection, stop, beforeAttempt);
      noteEnd = credential.sent.begin(call);
      const response = await send(connection, identity, call, signal, check);
      ({ headers } = response);
      end = ["answered", isApart(call) ? undefined : rateView(headers)];
      return { answer: answerOf(call, response, { token, known, clock }), sentAt };
    } catch (error) {
      if (isUnreachable(error) && !isApart(call)) end = ["unreachable", undefined];
      throw error;
    } finally {
      noteEnd?.(headers);
      permit.end(...end);
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { error, token, sentAt };
  }
}

/**
 * What a request has to pass in the moment in which it is sent. A process that was paused goes on
 * with what it was about to do: whether it may still write is asked after every wait, and not left
 * to a timer.
 */
function checkBefore(
  call: Call,
  { fence }: ServiceConnection,
  stop: AbortSignal,
  beforeAttempt: (() => void) | undefined,
): () => void {
  if (isRead(call)) return () => undefined;
  return () => {
    beforeAttempt?.();
    const isHeld = fence?.isHeld() ?? true;
    if (!isHeld) fence?.endIfOver();
    stop.throwIfAborted();
    if (isHeld) return;
    throw new Error("a write without a Lease was about to be sent");
  };
}

/**
 * Only a 401 says that the token is invalid: a 403 is about one permission. A verification notes
 * its own result, and what the analytics refuse says nothing about other requests.
 */
function noteValidity(credential: Credential, { route }: Call, attempt: Attempt): void {
  if (route === routes.verifyUserToken || route === routes.verifyAccountToken) return;
  if (route === routes.graphql) return;
  if ("answer" in attempt) credential.noteValid(true);
  else if (attempt.error.code === "API_UNAUTHORIZED") credential.noteValid(false);
}

function isUnreachable(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error.status !== 0) return false;
  return error.code === "API_UNREACHABLE" || error.code === "API_TIMEOUT";
}

/** A DELETE is done with 404 as well as with 204, unless the address is wrong (SERVICE.md C.2). */
function isGone(call: Call, error: ServiceError): boolean {
  const isAddress = error.wireCodes.some(
    (code) => code === wireCodes.couldNotRoute || code === wireCodes.noRoute,
  );
  return call.method === "DELETE" && error.status === 404 && !isAddress;
}

/** Whether another attempt is safe and may help. */
async function mayHelp(
  credential: Credential,
  { method }: Call,
  { error, token }: FailedAttempt,
): Promise<boolean> {
  if (method === "POST" && error.mayHaveHappened) return false;
  if (error.code === "API_UNAUTHORIZED" || error.code === "API_FORBIDDEN") {
    return token !== undefined && credential.isRenewed(token);
  }
  // An exhausted budget and a missing token are no errors of the service: a retry here does not
  // help.
  return error.transient && (error.status > 0 || error.fault !== undefined);
}

/**
 * The `Retry-After`, plus full jitter, so that requests that failed together are not retried
 * together.
 */
function waitFor({ retry, random }: ServiceSession, error: ServiceError, attempts: number): number {
  const bound = Math.min(retry.maxWaitMs, retry.firstWaitMs * 2 ** (attempts - 1));
  return error.retryAfterMs + random() * bound;
}
