import type { AuditFeedStatus } from "../../state/audit-status.ts";
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
