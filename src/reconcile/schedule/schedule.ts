import { Cron } from "croner";

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

/**
 * A cron expression of five or six fields in a time zone. It is due where the fields of the day and of the day of the week
 * both match; a time that a change of the clocks skips is due at the change.
 *
 * @throws if the expression is not valid.
 */
export function cronOf(expression: string, timezone: string): Cron {
  return new Cron(expression, { timezone, domAndDow: true, mode: "5-or-6-parts" });
}

/** Why a cron expression is not valid; `undefined` if it is. */
export function cronError(expression: string): string | undefined {
  try {
    cronOf(expression, "Etc/UTC");
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** A moment that is found so late was missed. */
const lateMs = 1_000;

/** Timers stand still while the machine is paused. */
const longestWaitMs = 30_000;

/** Calls `due` at each moment of the cron expressions, which must be valid. */
export function startSchedule(
  { cron, timezone }: ScheduleOptions,
  listener: ScheduleListener,
): Schedule {
  const crons = cron.map((expression) => cronOf(expression, timezone));
  const after = (moment: Date): Date | undefined =>
    crons
      .flatMap((each) => each.nextRun(moment) ?? [])
      .toSorted((a, b) => Number(a) - Number(b))[0];
  let next = after(new Date());
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    const waitMs = Math.min(Number(next) - Date.now(), longestWaitMs);
    if (next !== undefined) timer = setTimeout(wake, Math.max(0, waitMs)).unref();
  };
  const wake = (): void => {
    const now = new Date();
    let isDue = false;
    for (; next !== undefined && next <= now; next = after(next)) {
      isDue = true;
      if (Number(now) - Number(next) >= lateMs) listener.missed();
    }
    wait();
    if (isDue) listener.due();
  };
  wait();
  return {
    intervalSeconds: longestGap(crons.map((each) => each.nextRuns(runsAhead).map(Number))),
    nextRun: () => after(new Date()),
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

/** How many runs are examined for the longest gap: a week of hours. */
const runsAhead = 168;

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
