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

/** Returns a function that warns of zones whose declared scripts are not checked: once, until they are others. */
export function uncheckedScriptsLog(logger: Logger): (zones: readonly string[]) => void {
  let known = "";
  return (zones) => {
    const text = zones.join(" ");
    if (text === known) return;
    known = text;
    if (zones.length === 0) {
      logger.info("no declared scripts are left unchecked");
      return;
    }
    logger.warn(
      { zones: zones.length, first: zones[0] },
      "declared scripts are not checked: set inventory.enabled, with scripts in inventory.kinds",
    );
  };
}
