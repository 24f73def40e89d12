import { isDeepStrictEqual } from "node:util";

import { exitCodes } from "../../src/cli/output/exit-codes.ts";
import { holdReasons, type HoldReason, holdFacts } from "../../src/plan/guard/hold.ts";
import { markdownTable } from "./markdown-table.ts";
import { defaultOf } from "./schema-keys.ts";

/** When each reason holds a plan, and what a person can do. */
export function holdsAsTable(): string {
  const rows = holdReasons.map((reason) => {
    const { heldIf, remedy } = holdFacts(reason);
    return [code(reason), heldIf, limitOf(reason), remedy];
  });
  return markdownTable(
    ["reason", "zonewarden holds the plan if", "limit (default)", "what to do"],
    rows,
  );
}

function limitOf(reason: HoldReason): string {
  const { setting } = holdFacts(reason);
  return setting === undefined
    ? ""
    : `${code(setting)} (${code(defaultOf("zonewarden", setting))})`;
}

/** What else follows from each reason: a table, with one row for reasons that are alike, and what most have in common. */
export function effectsAsTable(): string {
  const special = holdReasons.filter(isSpecial);
  const alike = Map.groupBy(special, (reason) => effectsOf(reason).join("|"));
  const rows = [...alike].map(([effects, reasons]) => [
    reasons.map((reason) => code(reason)).join(", "),
    ...effects.split("|"),
  ]);
  const table = markdownTable(
    [
      "reason",
      "released by the hash of the",
      "ends by itself",
      "counts for the fleet guard",
      "alert",
    ],
    rows,
  );
  return `${table}\n\nEach other reason has only the alert ${usualAlert}.\n\n${commonEffects()}`;
}

function effectsOf(reason: HoldReason): readonly string[] {
  const { releasedBy, endsWithTime, countsForFleet, alert } = holdFacts(reason);
  return [releasedBy ?? "", endsWithTime ? "yes" : "", countsForFleet ? "yes" : "", alert ?? ""];
}

const usualAlert = "ZonewardenZoneHeld";

/** Whether a reason has more than the usual alert. */
function isSpecial(reason: HoldReason): boolean {
  const { releasedBy, endsWithTime, countsForFleet, alert } = holdFacts(reason);
  return releasedBy !== undefined || endsWithTime || countsForFleet || alert !== usualAlert;
}

const usual = { planEndsWith: "held", severity: "warn", status: "held" } as const;

function commonEffects(): string {
  const others = holdReasons.filter((reason) => {
    const { planEndsWith, severity, status } = holdFacts(reason);
    return !isDeepStrictEqual({ planEndsWith, severity, status }, usual);
  });
  return [
    `For all but these, \`plan\` exits with ${exitCodes.held}, the log level is \`warn\`, and the status of the zone is \`held\`:`,
    "",
    ...others.map((reason) => {
      const { planEndsWith, severity, status } = holdFacts(reason);
      const shown = status === undefined ? "that of the differences" : code(status);
      return `- ${code(reason)}: ${exitCodes[planEndsWith]}, ${code(severity)}, ${shown}.`;
    }),
  ].join("\n");
}

/** The reasons that an alert reports, for its runbook. */
export function reasonsOfAlertAsTable(alert: string): string {
  const rows = reasonsOf(alert).map((reason) => {
    const { heldIf, remedy } = holdFacts(reason);
    return [code(reason), heldIf, remedy];
  });
  return markdownTable(["reason", "the plan is held because", "what to do"], rows);
}

function reasonsOf(alert: string): readonly HoldReason[] {
  return holdReasons.filter((reason) => holdFacts(reason).alert === alert);
}

function code(text: string): string {
  return `\`${text}\``;
}
