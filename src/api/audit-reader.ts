import type { AuditRead, AuditWindow, OwnWrites } from "../zone/audit-entry.ts";
import { ServiceError } from "../zone/service-error.ts";
import type { Zone } from "../zone/zone.ts";
import { verifyToken } from "./credentials/verify-token.ts";
import { readAuditLog } from "./read/read-audit-log.ts";
import type { Get } from "./request/call.ts";
import { type ServiceSession, sendWithRetries } from "./request/retry.ts";
import type { Service } from "./service.ts";

/** Reads the audit logs of accounts. It cannot write. */
export interface AuditReader {
  /**
   * Reads with a credential of the zones, which are of one account. The next credential is tried
   * where one is denied; throws if all are. It does not wait after a 429: whoever follows the log
   * asks again later.
   */
  read(zones: readonly Zone[], window: AuditWindow, signal: AbortSignal): Promise<AuditRead>;
  /** Reads all entries of the account of the zones, our own included. */
  readAll(zones: readonly Zone[], window: AuditWindow, signal: AbortSignal): Promise<AuditRead>;
  /** Reads the entries of one zone, our own included. */
  readOf(zone: Zone, window: AuditWindow, signal: AbortSignal): Promise<AuditRead>;
  /** Reads the entries about the account of a zone itself, such as those of its rulesets. */
  readAccountOf(zone: Zone, window: AuditWindow, signal: AbortSignal): Promise<AuditRead>;
  /**
   * Whether a token is ours, by the ids that the service gave when it verified our tokens; "": no
   * token is.
   */
  isOwnToken(id: string): boolean;
  /**
   * The name of the credential of a token of ours; "" if no token is, or several credentials have
   * it.
   */
  credentialOf(tokenId: string): string;
  /** What this process wrote with all its credentials. */
  sentWrites(): OwnWrites;
  /**
   * Whether an error says that the token may not read the log, or no longer sees the account
   * (SERVICE.md C.2).
   */
  isDenied(error: ServiceError): boolean;
}

/**
 * Creates the reader of audit logs, whose requests have a line of their own in the request budget.
 */
export function createAuditReader({ sessions }: Service): AuditReader {
  const filtered = async (
    zones: readonly Zone[],
    window: AuditWindow,
    filter: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<AuditRead> =>
    readWithAny(sessions, zones, signal, (session) =>
      readAuditLog(shared(session), accountOf(zones), window, filter, signal),
    );
  return {
    isDenied,
    isOwnToken: (id) => sessions.some(({ credential }) => credential.tokenIds.includes(id)),
    credentialOf: (tokenId) => {
      const [only, ...others] = sessions.filter(({ credential: { tokenIds } }) =>
        tokenIds.includes(tokenId),
      );
      return others.length > 0 ? "" : (only?.credential.name ?? "");
    },
    sentWrites: () => {
      const all = sessions.map(({ credential }) => credential.sent);
      const since = all.map(({ completeSince }) => Number(completeSince ?? 0));
      const completeSince = new Date(Math.max(0, ...since));
      return { writes: all.flatMap((sent) => sent.all), completeSince };
    },
    read: async (zones, window, signal) =>
      readWithAny(sessions, zones, signal, (session) => {
        const unlimited = { ...session, retry: { ...session.retry, rateLimitDeadlineMs: 0 } };
        return readAuditLog(shared(unlimited), accountOf(zones), window, {}, signal);
      }),
    readAll: (zones, window, signal) => filtered(zones, window, {}, signal),
    readOf: (zone, window, signal) => filtered([zone], window, { zone_id: zone.id }, signal),
    readAccountOf: (zone, window, signal) =>
      filtered([zone], window, { resource_scope: "accounts" }, signal),
  };
}

function accountOf([first]: readonly Zone[]): string {
  return first?.accountId ?? "";
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

/** Tries the credentials that serve the zones, one after the other, until one is not denied. */
async function readWithAny(
  sessions: readonly ServiceSession[],
  zones: readonly Zone[],
  signal: AbortSignal,
  read: (session: ServiceSession) => Promise<AuditRead>,
): Promise<AuditRead> {
  let denied: unknown = new Error("no credential serves the zones of the account");
  for (const session of sessions) {
    if (!zones.some((zone) => session.credential.serves(zone))) continue;
    try {
      await learnTokenId(session, accountOf(zones), signal);
      return await read(session);
    } catch (error) {
      if (!(error instanceof ServiceError) || !isDenied(error)) throw error;
      denied = error;
    }
  }
  throw denied;
}

function isDenied({ code }: ServiceError): boolean {
  return code === "API_FORBIDDEN" || code === "API_UNAUTHORIZED" || code === "API_NOT_FOUND";
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
