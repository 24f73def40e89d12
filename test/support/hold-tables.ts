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

/** What else follows from each reason. */
export function effectsAsTable(): string {
  const rows = holdReasons.map((reason) => {
    const facts = holdFacts(reason);
    return [
      code(reason),
      facts.releasedBy ?? "",
      facts.endsWithTime ? "yes" : "",
      facts.countsForFleet ? "yes" : "",
      String(exitCodes[facts.planEndsWith]),
      code(facts.severity),
      facts.status === undefined ? "of the differences" : code(facts.status),
      facts.alert ?? "",
    ];
  });
  return markdownTable(
    [
      "reason",
      "released by the hash of the",
      "ends by itself",
      "counts for the fleet guard",
      "`plan` exits with",
      "log level",
      "status of the zone",
      "alert",
    ],
    rows,
  );
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
