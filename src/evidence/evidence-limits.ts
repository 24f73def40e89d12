import type { Period } from "../history/timeline.ts";
import type { ScriptRecord } from "../state/scripts/script-watch.ts";
import type { DeclaringRevision } from "./evidence-inventory.ts";
import type { EvidenceInput, KeptHistory, ZoneEvidence } from "./evidence-pack.ts";
import { type FilesRevision, unexplainedFindings } from "./evidence-stories.ts";

const dayMs = 86_400_000;

/** Remarks of the check of the history that lessen what it shows. */
const remarkTexts: Readonly<Record<string, string>> = {
  clock:
    "The clock went back while the history was written: the order of the lines is sure, and their times are not. The remarks say where.",
  older_version:
    "The oldest lines are of a version that wrote no hashes: nothing shows whether they were changed before the chain began.",
};

/** What the history files as a whole do not show of a period, a sentence each. */
export function historyLimits(
  { files, flaws, remarks, damaged, uncovered, firstAt, lastAt }: KeptHistory,
  { since, until }: Period,
): readonly string[] {
  const limits: string[] = [];
  // That there are no lines is told below.
  const changes = flaws.filter(({ code }) => code !== "empty" || files.length > 1);
  if (changes.length > 0) {
    limits.push(
      `The history is not intact (${counted(changes.length, "finding")} of its check): what this pack shows may be incomplete or wrong.`,
    );
  }
  for (const [code, says] of Object.entries(remarkTexts)) {
    if (remarks.some((each) => each.code === code)) limits.push(says);
  }
  if (damaged > 0) {
    limits.push(
      `${counted(damaged, "line")} of the history cannot be read and ${damaged === 1 ? "is" : "are"} missing here.`,
    );
  }
  const left = uncovered.filter((at) => at === undefined || at < until).length;
  if (left > 0) {
    limits.push(
      `${counted(left, "line")} of the history ${left === 1 ? "is" : "are"} not covered by the head or a signature, and left out here: use a newer head.`,
    );
  }
  if (firstAt === undefined || lastAt === undefined) {
    return [...limits, "The history has no lines: nothing is recorded of the period."];
  }
  if (Number(firstAt) >= Number(since) + dayMs) {
    limits.push(
      `The history that was read begins on ${firstAt.toISOString()}: nothing is recorded of the days before.`,
    );
  }
  if (Number(lastAt) < Number(until) - dayMs) {
    limits.push(
      `The history that was read ends on ${lastAt.toISOString()}: nothing is recorded of the days after.`,
    );
  }
  return limits;
}

/** What is not shown of a zone, a sentence each. */
export function zoneLimits(
  zone: Pick<ZoneEvidence, "atEnd" | "days" | "pauses" | "revisions">,
  records: readonly ScriptRecord[],
  { files, isChecking }: Pick<EvidenceInput, "files" | "isChecking">,
): readonly string[] {
  const { days, pauses } = zone;
  const limits = [...declaredLimits(zone, isChecking)];
  if (records.length === 0) {
    return [
      ...limits,
      "The history has no check of the zone's scripts: as far as it tells, the zone was never monitored.",
    ];
  }
  const gaps = days.filter(({ status }) => status !== "checked").length;
  if (gaps > 0) {
    limits.push(
      `${counted(gaps, "day")} of ${days.length} without a complete check: see the days.`,
    );
  }
  for (const { since, until } of pauses) {
    limits.push(
      `No check for more than seven days: from ${since.toISOString()} to ${until.toISOString()}.`,
    );
  }
  limits.push(...revisionLimits(zone, files));
  const unexplained = unexplainedFindings(records);
  if (unexplained > 0) {
    limits.push(
      `${counted(unexplained, "finding")} of the last check ${unexplained === 1 ? "is" : "are"} not shown: no line that is kept has ${unexplained === 1 ? "it" : "them"}.`,
    );
  }
  return limits;
}

function isUnknown({ declared }: DeclaringRevision): boolean {
  return typeof declared === "string";
}

/** Which revisions of the period have an inventory that is not known. */
function revisionLimits(
  { revisions }: Pick<ZoneEvidence, "revisions">,
  files: FilesRevision,
): readonly string[] {
  const limits: string[] = [];
  const last = revisions.at(-1);
  const unknown = revisions.filter(isUnknown).length;
  if (unknown > 0) {
    limits.push(
      `What the files declared is not known of ${unknown} of ${counted(revisions.length, "revision")}: see the revisions.`,
    );
  }
  if (last === undefined || last.revision === files.revision || !isUnknown(last)) return limits;
  const used = last.commit === undefined ? `revision ${last.revision}` : `commit ${last.commit}`;
  return [
    ...limits,
    `The inventory at the end is that of the files as they are now; the last check of the period used ${used}.`,
  ];
}

function declaredLimits(
  { atEnd: { declared } }: Pick<ZoneEvidence, "atEnd">,
  isChecking: boolean,
): readonly string[] {
  if (typeof declared === "string") {
    return [`The inventory of authorised scripts is not shown: ${declared}.`];
  }
  if (declared.scripts === undefined) {
    return [
      "The files declare no scripts for the zone (page_shield.scripts): there is no inventory of authorised scripts.",
    ];
  }
  if (isChecking) return [];
  return [
    "The configuration as it is now reads no inventory of scripts (inventory.enabled, inventory.kinds): nothing checks the declared scripts.",
  ];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
