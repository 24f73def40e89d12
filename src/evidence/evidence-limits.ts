import type { Period } from "../history/timeline.ts";
import { plural } from "../render/format.ts";
import type { ScriptRecord } from "../state/scripts/script-watch.ts";
import { dayMs } from "../syntax/time-units.ts";
import type { EvidenceInput, KeptHistory } from "./evidence-input.ts";
import { type FilesRevision, filesText } from "./evidence-stories.ts";
import type { DeclaringRevision, RecordedZone } from "./recorded-zone.ts";

/** What the history files as a whole do not show of a period, a sentence each. */
export function historyLimits(
  { files, flaws, remarks, damaged, uncovered, firstAt, lastAt }: KeptHistory,
  { since, until }: Period,
): readonly string[] {
  // That there are no lines is told below.
  const changes = flaws.filter(({ code }) => code !== "empty" || files.length > 1);
  const left = uncovered.filter((at) => at === undefined || at < until).length;
  return said([
    changes.length > 0 &&
      `The history is not intact (${plural(changes.length, "finding")} of its check): what this pack shows may be incomplete or wrong.`,
    remarks.some(({ code }) => code === "clock") &&
      "The clock went back while the history was written: the order of the lines is sure, and their times are not. The remarks say where.",
    damaged > 0 &&
      `${plural(damaged, "line")} of the history cannot be read and ${isAre(damaged)} missing here.`,
    left > 0 &&
      `${plural(left, "line")} of the history ${isAre(left)} not covered by the head or a signature, and left out here: use a newer head.`,
    firstAt === undefined && "The history has no lines: nothing is recorded of the period.",
    firstAt !== undefined &&
      Number(firstAt) >= Number(since) + dayMs &&
      `The history that was read begins on ${firstAt.toISOString()}: nothing is recorded of the days before.`,
    lastAt !== undefined &&
      Number(lastAt) < Number(until) - dayMs &&
      `The history that was read ends on ${lastAt.toISOString()}: nothing is recorded of the days after.`,
  ]);
}

function said(limits: readonly (string | false)[]): readonly string[] {
  return limits.filter((each) => each !== false);
}

function isAre(count: number): string {
  return count === 1 ? "is" : "are";
}

/** What is not shown of a zone, a sentence each. */
export function zoneLimits(
  zone: Pick<RecordedZone, "atEnd" | "days" | "pauses" | "revisions" | "findings">,
  records: readonly ScriptRecord[],
  { files, isChecking }: Pick<EvidenceInput, "files" | "isChecking">,
): readonly string[] {
  const { days, pauses, findings } = zone;
  const check = records.at(-1);
  if (check === undefined) {
    return said([
      declaredLimit(zone, isChecking),
      "The history has no check of the zone's scripts: as far as it tells, the zone was never monitored.",
    ]);
  }
  const gaps = days.filter(({ status }) => status !== "checked").length;
  // Findings that the last record counts and no line explains were opened before the first line that is kept.
  const open = findings.filter(({ closedAt }) => closedAt === undefined).length;
  const unexplained = check.open + check.acknowledged - open;
  return said([
    declaredLimit(zone, isChecking),
    gaps > 0 && `${plural(gaps, "day")} of ${days.length} without a complete check: see the days.`,
    ...pauses.map(
      ({ since, until }) =>
        `No check for more than seven days: from ${since.toISOString()} to ${until.toISOString()}.`,
    ),
    ...revisionLimits(zone, files),
    unexplained > 0 &&
      `${plural(unexplained, "finding")} of the last check ${isAre(unexplained)} not shown: no line that is kept has ${unexplained === 1 ? "it" : "them"}.`,
  ]);
}

function isUnknown({ declared }: DeclaringRevision): boolean {
  return typeof declared === "string";
}

/** Which revisions of the period have an inventory that is not known. */
function revisionLimits(
  { revisions }: Pick<RecordedZone, "revisions">,
  files: FilesRevision,
): readonly (string | false)[] {
  const last = revisions.at(-1);
  const unknown = revisions.filter(isUnknown).length;
  return [
    unknown > 0 &&
      `What the files declared is not known of ${unknown} of ${plural(revisions.length, "revision")}: see the revisions.`,
    last !== undefined &&
      last.revision !== files.revision &&
      isUnknown(last) &&
      `The inventory at the end is that of the files as they are now; the last check of the period used ${filesText(last)}.`,
  ];
}

function declaredLimit(
  { atEnd: { declared } }: Pick<RecordedZone, "atEnd">,
  isChecking: boolean,
): string | false {
  if (typeof declared === "string") {
    return `The inventory of authorised scripts is not shown: ${declared}.`;
  }
  if (declared.scripts === undefined) {
    return "The files declare no scripts for the zone (page_shield.scripts): there is no inventory of authorised scripts.";
  }
  return (
    !isChecking &&
    "The configuration as it is now reads no inventory of scripts (inventory.enabled, inventory.kinds): nothing checks the declared scripts."
  );
}
