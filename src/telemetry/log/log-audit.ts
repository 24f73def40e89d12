import { type AuditFeedStatus, type TokenUse, tokenUseText } from "../../state/audit-status.ts";
import type { Logger } from "./log.ts";

/** Logs that the state of the audit feed changed: once, and not at each read. */
export function logAuditFeed(logger: Logger, { state, accounts, reason }: AuditFeedStatus): void {
  const facts = { accounts, ...(reason === "" ? {} : { reason }) };
  if (state === "off") logger.info("audit log not followed any more");
  else if (state === "following") logger.info(facts, "audit log followed");
  else if (state === "denied") {
    logger.warn(facts, "audit log not permitted: sweeps go on, changes by hand are found later");
  } else logger.warn(facts, "audit log lags: sweeps go on, changes by hand are found later");
}

/** Logs that entries of an audit log could not be understood; the metric counts them all. */
export function logMalformedAudit(logger: Logger, count: number, account: string): void {
  logger.warn({ account, count }, "audit log entries ignored: they cannot be understood");
}

/** Uses of one read that have a line of their own; of more, their number is logged. */
const usesLogged = 10;

/** Logs that our tokens are used elsewhere. */
export function logTokenUses(logger: Logger, uses: readonly TokenUse[]): void {
  for (const use of uses.slice(0, usesLogged)) {
    const { zone, credential, method, path, ray } = use;
    const facts = { zone, credential, method, path, ray, at: use.at.toISOString() };
    logger.warn({ ...facts, why: tokenUseText(use) }, "token used elsewhere");
  }
  if (uses.length <= usesLogged) return;
  logger.warn({ more: uses.length - usesLogged }, "token used elsewhere: more entries");
}

/** Logs that nobody knows whether entries of our tokens are ours. */
export function logPossiblyOwn(logger: Logger, count: number): void {
  logger.info(
    { count },
    "audit log entries of our token that are possibly not ours: they are from before the start, or an answer was lost",
  );
}
