import { collectorRemedies, type CollectorStatus } from "../../state/collector-status.ts";
import type { Logger } from "./log.ts";

/** Logs that the state of the measurements changed: once, and not at each round. */
export function logCollector(logger: Logger, { state, reason }: CollectorStatus): void {
  const facts = reason === "" ? {} : { reason };
  if (state === "off") logger.info("measurements ended");
  else if (state === "denied" || state === "lagging") {
    logger.warn(facts, collectorRemedies[state]);
  } else if (state === "collecting") logger.info("measurements up to date");
}
