import { schedule, type TaskContext, validateDetailed } from "node-cron";

/** When full sweeps are due. */
export interface ScheduleOptions {
  /** Cron expressions of five or six fields. */
  readonly cron: readonly string[];
  readonly timezone: string;
}

/** Whom a schedule tells. */
export interface ScheduleListener {
  /** A sweep is due. */
  wake(): void;
  /** A sweep was due while the process could not see to it: it begins late, one for all that were missed. */
  missed(): void;
}

/** A running schedule; disposing it stops it. */
export interface Schedule extends Disposable {
  /** The next moment at which a sweep is due; `undefined` where there is none. */
  nextRun(): Date | undefined;
  /** Longest gap between the coming sweeps, in seconds: what a zone may be old without having missed one. */
  readonly intervalSeconds: number;
}

/** Why a cron expression cannot be used, in words; `undefined` where it can. */
export function cronMistake(expression: string): string | undefined {
  const { valid, errors } = validateDetailed(expression);
  return valid ? undefined : errors.map(({ message }) => message).join("; ");
}

/** Calls `wake` at each moment that an expression names, or as soon as it can. The expressions have been checked before. */
export function startSchedule(options: ScheduleOptions, listener: ScheduleListener): Schedule {
  const { timezone } = options;
  // A wake-up is one for all moments before it: expressions may name the same, a pause may pass over many.
  let wokenAt = 0;
  const wake = ({ date, triggeredAt }: TaskContext): void => {
    if (Number(date) <= wokenAt) return;
    wokenAt = Number(triggeredAt);
    listener.wake();
  };
  const tasks = options.cron.map((expression) => {
    const task = schedule(expression, wake, { timezone, unref: true, logger });
    task.on("execution:missed", (context) => {
      listener.missed();
      wake(context);
    });
    return task;
  });
  return {
    intervalSeconds: longestGap(tasks.map((task) => task.getNextRuns(upcoming).map(Number))),
    nextRun: () =>
      tasks.flatMap((task) => task.getNextRun() ?? []).toSorted((a, b) => Number(a) - Number(b))[0],
    [Symbol.dispose]: () => {
      for (const task of tasks) void task.destroy();
    },
  };
}

/** The library's own words stay out of the log: what matters comes as events. */
const silence = (): void => undefined;
const logger = { info: silence, warn: silence, error: silence, debug: silence };

/** So many moments ahead are looked at for the longest gap: a week of hours. */
const upcoming = 168;

/** The longest gap in seconds, as far ahead as all expressions have been looked at. */
function longestGap(runs: readonly (readonly number[])[]): number {
  const horizon = Math.min(...runs.map((moments) => moments.at(-1) ?? 0));
  const sorted = runs
    .flat()
    .filter((moment) => moment <= horizon)
    .toSorted((a, b) => a - b);
  const gaps = sorted.slice(1).map((moment, index) => moment - (sorted[index] ?? moment));
  return Math.max(0, ...gaps) / 1_000;
}
