import type { CollectorStatus } from "../../measure/collector.ts";
import type { Logger } from "./log.ts";

/** Logs that the state of the measurements changed: once, and not at each round. */
export function logCollector(logger: Logger, { state, reason }: CollectorStatus): void {
  const facts = reason === "" ? {} : { reason };
  if (state === "off") logger.info("measurements ended");
  else if (state === "denied") {
    logger.warn(facts, "measurements not permitted: give the token the permission Analytics: Read");
  } else if (state === "lagging") {
    logger.warn(facts, "measurements lag: hours that were not read are read later");
  } else if (state === "collecting") logger.info("measurements up to date");
}
