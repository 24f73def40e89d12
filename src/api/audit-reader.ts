import type { AuditRead, AuditWindow, OwnWrites } from "../zone/audit-entry.ts";
import { ServiceError } from "../zone/service-error.ts";
import type { Zone } from "../zone/zone.ts";
import { verifyToken } from "./credentials/verify-token.ts";
import { readAuditLog } from "./read/read-audit-log.ts";
import type { Get } from "./request/call.ts";
import { type RetryPolicy, type ServiceSession, sendWithRetries } from "./request/retry.ts";
import type { Service } from "./service.ts";

/**
 * Reads the audit logs of accounts. It cannot write. Its requests have a line of their own in the
 * request budget.
 *
 * It reads with a credential of the zones, which are of one account. The next credential is tried
 * where one is denied; it throws if all are.
 */
export class AuditReader {
  readonly #sessions: readonly ServiceSession[];

  constructor({ sessions }: Service) {
    this.#sessions = sessions;
  }

  /** Does not wait after a 429: whoever follows the log asks again later. */
  async read(zones: readonly Zone[], window: AuditWindow, signal: AbortSignal): Promise<AuditRead> {
    return this.#read(zones, window, {}, signal, { rateLimitDeadlineMs: 0 });
  }

  /** Reads all entries of the account of the zones, our own included. */
  async readAll(
    zones: readonly Zone[],
    window: AuditWindow,
    signal: AbortSignal,
  ): Promise<AuditRead> {
    return this.#read(zones, window, {}, signal);
  }

  /** Reads the entries of one zone, our own included. */
  async readOf(zone: Zone, window: AuditWindow, signal: AbortSignal): Promise<AuditRead> {
    return this.#read([zone], window, { zone_id: zone.id }, signal);
  }

  /** Reads the entries about the account of a zone itself, such as those of its rulesets. */
  async readAccountOf(zone: Zone, window: AuditWindow, signal: AbortSignal): Promise<AuditRead> {
    return this.#read([zone], window, { resource_scope: "accounts" }, signal);
  }

  /**
   * Whether a token is ours, by the ids that the service gave when it verified our tokens; "": no
   * token is.
   */
  isOwnToken(id: string): boolean {
    return this.#sessions.some(({ credential }) => credential.tokenIds.includes(id));
  }

  /**
   * The name of the credential of a token of ours; "" if no token is, or several credentials have
   * it.
   */
  credentialOf(tokenId: string): string {
    const [only, ...others] = this.#sessions.filter(({ credential: { tokenIds } }) =>
      tokenIds.includes(tokenId),
    );
    return others.length > 0 ? "" : (only?.credential.name ?? "");
  }

  /** What this process wrote with all its credentials. */
  sentWrites(): OwnWrites {
    const all = this.#sessions.map(({ credential }) => credential.sent);
    const since = all.map(({ completeSince }) => Number(completeSince ?? 0));
    const completeSince = new Date(Math.max(0, ...since));
    return { writes: all.flatMap((sent) => sent.all), completeSince };
  }

  /**
   * Whether an error says that the token may not read the log, or no longer sees the account
   * (SERVICE.md C.2).
   */
  isDenied({ code }: ServiceError): boolean {
    return code === "API_FORBIDDEN" || code === "API_UNAUTHORIZED" || code === "API_NOT_FOUND";
  }

  async #read(
    zones: readonly Zone[],
    window: AuditWindow,
    filter: Readonly<Record<string, string>>,
    signal: AbortSignal,
    retry: Partial<RetryPolicy> = {},
  ): Promise<AuditRead> {
    const accountId = zones[0]?.accountId ?? "";
    let denied: unknown = new Error("no credential serves the zones of the account");
    for (const each of this.#sessions) {
      if (!zones.some((zone) => each.credential.serves(zone))) continue;
      const session = { ...each, retry: { ...each.retry, ...retry } };
      try {
        await learnTokenId(session, accountId, signal);
        return await readAuditLog(shared(session), accountId, window, filter, signal);
      } catch (error) {
        if (!(error instanceof ServiceError) || !this.isDenied(error)) throw error;
        denied = error;
      }
    }
    throw denied;
  }
}

/**
 * After a restart, entries of the process before are our own too: the id of the token is known
 * before the first read.
 */
async function learnTokenId(
  session: ServiceSession,
  accountId: string,
  signal: AbortSignal,
): Promise<void> {
  if (session.credential.tokenIds.length > 0) return;
  try {
    await verifyToken(session, accountId, signal);
  } catch (error) {
    // Without the id, our own writes wake their zones once more: that is no reason not to read.
    if (!(error instanceof ServiceError)) throw error;
  }
}

/**
 * Urgent, since what it reads wakes zones at the urgency of a change: behind sweeps, an edit in a
 * busy fleet waits half as long again. Its share of the budget bounds it.
 */
function shared(session: ServiceSession): Get {
  const { auditShare } = session.credential;
  return async (call, signal) => {
    await auditShare.take(signal);
    const answer = await sendWithRetries(session, "changed", call, signal);
    auditShare.note(answer.attempts - 1);
    return answer;
  };
}
