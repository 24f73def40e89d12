import type { ScriptEvent } from "../../state/scripts/script-watch.ts";
import type { Logger } from "./log.ts";

/** Logs how findings on declared scripts changed: one line each. */
export function logScriptEvents(
  logger: Logger,
  zone: string,
  events: readonly ScriptEvent[],
): void {
  for (const each of events) {
    if (!("finding" in each)) continue;
    const { id, kind, subject, detail } = each.finding;
    const level = each.event === "opened" || each.event === "reopened" ? "warn" : "info";
    logger[level]({ zone, id, kind, subject, detail }, `script finding ${each.event}`);
  }
}
