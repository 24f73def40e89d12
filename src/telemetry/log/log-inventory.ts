import type { Logger } from "pino";

import {
  type InventoryReport,
  type InventoryState,
  neverRead,
  newlyMalicious,
} from "../../state/inventory.ts";

/**
 * A look at a zone's inventory as log lines: one for each malicious item that was not known and each kind that was not
 * known to be refused, else only at `debug`.
 */
export function logInventory(
  logger: Logger,
  before: InventoryState | undefined,
  report: InventoryReport,
): void {
  const { zone } = report;
  if (report.result === "error") {
    const { code, message, ray } = report.failure;
    const level = before?.failingSince === undefined ? "warn" : "debug";
    logger[level]({ zone, code, error: message, ray }, "inventory unreadable");
    return;
  }
  for (const { kind, what, where, malicious } of newlyMalicious(before ?? neverRead, report)) {
    logger.warn({ zone, kind, url: what, page: where, reason: malicious }, "malicious item found");
  }
  for (const [kind, { code, message, ray }] of report.facts.refused) {
    if (before?.facts?.refused.has(kind) === true) continue;
    logger.warn({ zone, kind, code, error: message, ray }, "items cannot be read");
  }
  const counts = [...report.facts.kinds].map(([kind, { total }]) => [kind, total] as const);
  const outside = report.facts.outside?.count;
  logger.debug({ zone, ...Object.fromEntries(counts), outside }, "inventory read");
}
