import type { UnusualShare } from "../../measure/judged-fleet.ts";
import { collectorRemedies, type CollectorStatus } from "../../state/collector-status.ts";
import type { ZoneName } from "../../zone/zone.ts";
import type { Logger } from "./log.ts";

/** Logs that the state of the measurements changed: once, and not at each round. */
export function logCollector(logger: Logger, { state, reason }: CollectorStatus): void {
  const facts = reason === "" ? {} : { reason };
  const remedy = collectorRemedies[state];
  if (remedy !== "") logger.warn(facts, remedy);
  else if (state === "off") logger.info("measurements ended");
  else if (state === "collecting") logger.info("measurements up to date");
}

/** Logs that the share of requests of a policy or rule left its usual range: once, until it was back. */
export function logUnusualShare(
  logger: Logger,
  zone: ZoneName,
  { key, state, count, requests }: UnusualShare,
): void {
  const facts = { zone, resource: key, count, requests };
  logger.warn(facts, `share of requests ${state} its usual range for two hours`);
}
