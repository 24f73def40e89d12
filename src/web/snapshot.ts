import type { HistoryView } from "../history/history.ts";
import type { LinkAnswer } from "../plan/guard/may-write.ts";
import { stepsLeftTexts } from "../render/step-event-text.ts";
import type { WriteAnswer } from "../render/write-answers.ts";
import type { DaemonStatus } from "../state/daemon-status.ts";
import type { Fleet } from "../state/fleet.ts";
import type { ZoneStepsStatus } from "../state/steps-status.ts";
import type { ZoneState } from "../state/zone-state.ts";
import type { ZoneName } from "../zone/zone.ts";

/** What a page or a JSON response is made from. */
export interface Snapshot {
  readonly fleet: Fleet;
  readonly history: HistoryView;
  readonly daemon: DaemonStatus;
  readonly now: Date;
  /** Whether reconciles can be requested. */
  readonly canReconcile: boolean;
  /** Where the policies and rules of a zone stand; `undefined`: none has steps. */
  readonly stepsOf: (zone: ZoneName) => ZoneStepsStatus | undefined;
  /** Whether a zone may be written now: what each link of the chain says. */
  readonly answersOf: (state: ZoneState) => readonly LinkAnswer[];
}

/** Whether a zone may be written now, as it is shown. */
export function writeAnswerOf(state: ZoneState, { answersOf, stepsOf }: Snapshot): WriteAnswer {
  const { declared, differing } = state;
  const { objects = [] } = stepsOf(declared.name) ?? {};
  const steps = stepsLeftTexts(objects);
  return { zone: declared.name, changes: differing.length, links: answersOf(state), steps };
}
