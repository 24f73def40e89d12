import { schedule, type TaskContext, validateDetailed } from "node-cron";

import { remembered } from "../../syntax/remembered.ts";

export interface ScheduleOptions {
  /** Cron expressions of five or six fields. */
  readonly cron: readonly string[];
  readonly timezone: string;
}

export interface ScheduleListener {
  /** A sweep is due. */
  due(): void;
  /** The process was paused when a sweep was due. One sweep follows for all that were missed. */
  missed(): void;
}

/** A running schedule; disposing it stops it. */
export interface Schedule extends Disposable {
  /** When the next sweep is due; `undefined` if none is. */
  nextRun(): Date | undefined;
  /** The longest gap between the coming sweeps, in seconds: the greatest age of a run that missed no sweep. */
  readonly intervalSeconds: number;
}

/** Why a cron expression is not valid; `undefined` if it is. */
export function cronError(expression: string): string | undefined {
  const { valid, errors } = validateDetailed(expression);
  return valid ? undefined : errors.map(({ message }) => message).join("; ");
}

/** Calls `due` at each moment of the cron expressions, which must be valid. */
export function startSchedule(options: ScheduleOptions, listener: ScheduleListener): Schedule {
  const { timezone } = options;
  // One call covers all moments before it: expressions may name the same moment, and a pause may span several.
  let coveredUntil = 0;
  const due = ({ date, triggeredAt }: TaskContext): void => {
    if (Number(date) <= coveredUntil) return;
    coveredUntil = Number(triggeredAt);
    listener.due();
  };
  const tasks = options.cron.map((expression) => {
    const task = schedule(expression, due, { timezone, unref: true, logger });
    task.on("execution:missed", (context) => {
      listener.missed();
      due(context);
    });
    return task;
  });
  const key = [timezone, ...options.cron].join("\n");
  return {
    intervalSeconds: knownGaps(key, () =>
      longestGap(tasks.map((task) => task.getNextRuns(runsAhead).map(Number))),
    ),
    nextRun: () =>
      tasks.flatMap((task) => task.getNextRun() ?? []).toSorted((a, b) => Number(a) - Number(b))[0],
    [Symbol.dispose]: () => {
      for (const task of tasks) void task.destroy();
    },
  };
}

/** The library must not write to the log: what matters arrives as events. */
const ignore = (): void => undefined;
const logger = { info: ignore, warn: ignore, error: ignore, debug: ignore };

/** How many runs are examined for the longest gap: a week of hours. */
const runsAhead = 168;

/** To find these runs takes milliseconds. */
const knownGaps = remembered<number>(100);

/** The longest gap in seconds, as far ahead as the runs of all expressions are known. */
function longestGap(runs: readonly (readonly number[])[]): number {
  const horizon = Math.min(...runs.map((moments) => moments.at(-1) ?? 0));
  const sorted = runs
    .flat()
    .filter((moment) => moment <= horizon)
    .toSorted((a, b) => a - b);
  const gaps = sorted.slice(1).map((moment, index) => moment - (sorted[index] ?? moment));
  return Math.max(0, ...gaps) / 1_000;
}
