import { version } from "../host/version.ts";
import type { Reconciler } from "../reconcile/reconciler.ts";
import { stuckAfterMs } from "../reconcile/run/deadline.ts";
import type { DaemonStatus } from "../state/daemon-status.ts";
import type { HealthCheck } from "../web/health.ts";
import type { DaemonParts } from "./daemon-parts.ts";
import type { RunningConfig } from "./running-config.ts";
import { sweepMs, type SweepCost } from "./sweep-forecast.ts";
import type { SweepSchedule } from "./sweep-schedule.ts";

/** What is so at any moment. */
export interface DaemonContext {
  readonly startedAt: Date;
  readonly live: RunningConfig;
  readonly timetable: SweepSchedule;
  readonly reconciler: Reconciler;
  /** Of the zones that are declared now. */
  readonly cost: SweepCost;
}

/** The process at this moment, for metrics and pages. */
export function daemonStatusOf({ service }: DaemonParts, state: DaemonContext): DaemonStatus {
  const { timetable, reconciler, live, startedAt } = state;
  const credentials = service.credentials.map((credential) => credential.state);
  return {
    version,
    startedAt,
    mode: live.current.mode,
    schedule: {
      expressions: timetable.options.cron,
      timezone: timetable.options.timezone,
      nextAt: timetable.nextRun(),
      longestGapMs: timetable.longestGapMs,
      sweepMs: sweepMs(state.cost, credentials),
    },
    inventoryEveryMs: live.current.inventory?.everyMs,
    queue: { waiting: reconciler.waiting, running: [...reconciler.running.keys()] },
    credentials,
  };
}

/** What a newcomer wants to know first. */
export function startFacts(
  { config, emulator }: DaemonParts,
  url: string,
  timetable: SweepSchedule,
): Readonly<Record<string, unknown>> {
  return {
    version,
    mode: config.mode,
    page: `${url}/`,
    metrics: `${url}/metrics`,
    ...(emulator === undefined ? {} : { emulator: `${emulator}/_emulator/` }),
    files: config.desired.path,
    next_sweep: timetable.nextRun()?.toISOString(),
  };
}

/** Whether every worker gives its zone back in time; one that does not is past help from inside. */
export function workersCheck(
  { running }: Pick<Reconciler, "running">,
  clock: { uptime(): number },
): HealthCheck {
  return {
    name: "workers",
    failure: () => {
      const since = clock.uptime() - stuckAfterMs;
      const stuck = [...running].filter(([, at]) => at < since).map(([zone]) => zone);
      return stuck.length === 0 ? undefined : `stuck with ${stuck.join(", ")}`;
    },
  };
}
