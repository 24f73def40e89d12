import { type Control, controlsOf } from "./evidence-controls.ts";
import type { EvidenceInput, EvidenceSubject } from "./evidence-input.ts";
import { historyLimits, zoneLimits } from "./evidence-limits.ts";
import { type RecordedZone, recordedZone } from "./recorded-zone.ts";

/** The evidence of a period: only what the history recorded and the files declare. */
export interface Evidence extends Pick<EvidenceInput, "period" | "files" | "history"> {
  /** What cannot be shown of any zone. */
  readonly limits: readonly string[];
  readonly zones: readonly ZoneEvidence[];
}

/** What is shown of a zone. */
export interface ZoneEvidence extends RecordedZone {
  /** What cannot be shown, a sentence each. */
  readonly limits: readonly string[];
  readonly controls: readonly Control[];
}

/** Makes the pack. What was not recorded is missing in it, and is named in its limits. */
export function evidenceOf(input: EvidenceInput): Evidence {
  const { period, files, history, subjects } = input;
  return {
    period,
    files,
    history,
    limits: historyLimits(history, period),
    zones: subjects.map((subject) => zoneEvidence(subject, input)),
  };
}

function zoneEvidence(subject: EvidenceSubject, input: EvidenceInput): ZoneEvidence {
  const { period, records } = input;
  const own = records.filter(({ zone, at }) => zone === subject.zone && at < period.until);
  const recorded = recordedZone(subject, own, input);
  return {
    ...recorded,
    limits: zoneLimits(recorded, own, input),
    controls: controlsOf(recorded, period),
  };
}
