import type { StepEvent } from "../../state/step-wait.ts";
import type { Logger } from "./log.ts";

/** Logs what became of an object with steps: what goes back is a warning. */
export function logStep(logger: Logger, { zone, key, event, from, to, cause }: StepEvent): void {
  const facts = { zone, resource: key, from, to, ...cause };
  switch (event) {
    case "promoted":
      logger.info(facts, "promoted to the next step");
      break;
    case "watched":
      logger.info({ zone, resource: key, step: to }, "watch of the step is over");
      break;
    case "set_back":
      logger.warn(facts, "set back to the step before: it stays there");
      break;
    case "stopped":
      logger.warn({ zone, resource: key, step: to, ...cause }, "stays at its step");
  }
}
