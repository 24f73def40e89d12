import type { Config } from "../desired/config/config.ts";
import type { ServiceClient } from "../host/connect.ts";
import type { Reconciler } from "../reconcile/reconciler.ts";
import { partsOf } from "../reconcile/run/plan-zone.ts";
import {
  type Schedule,
  type ScheduleListener,
  type ScheduleOptions,
  startSchedule,
} from "../reconcile/schedule/schedule.ts";
import type { SweepForecast } from "../render/plan-text.ts";
import { sum } from "../syntax/sum.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { DesiredZone } from "../zone/desired-zone.ts";
import type { Zone } from "../zone/zone.ts";

interface RequestBudget {
  readonly name: string;
  readonly perSecond: number;
}

/** The term that sweeps; `undefined`: another process does. */
interface SweepingTerm {
  readonly term: { readonly reconciler: Pick<Reconciler, "requestSweep"> } | undefined;
}

/** Sweeps in the term of each moment. */
export function sweepsOf(
  current: SweepingTerm,
  metrics: Pick<Metrics, "recordMissedRun">,
): ScheduleListener {
  return {
    due: () => current.term?.reconciler.requestSweep("schedule"),
    missed: () => {
      if (current.term !== undefined) metrics.recordMissedRun("paused");
    },
  };
}

/** What a schedule of sweeps needs, and whom it calls. */
export interface SweepSchedulePorts extends ScheduleListener {
  readonly budgets: () => readonly RequestBudget[];
  readonly logger: { warn(facts: object, message: string): void };
}

/** The schedule of the sweeps, which a new configuration can replace, and how long a sweep takes. */
export class SweepSchedule implements Disposable {
  readonly #ports: SweepSchedulePorts;
  #options: ScheduleOptions;
  #schedule: Schedule;
  #requests: SweepRequests = new Map();
  #isTooFast = false;

  constructor(options: ScheduleOptions, ports: SweepSchedulePorts) {
    this.#ports = ports;
    this.#options = options;
    this.#schedule = startSchedule(options, ports);
  }

  get options(): ScheduleOptions {
    return this.#options;
  }

  /** Longest gap between two sweeps, in milliseconds. */
  get longestGapMs(): number {
    return this.#schedule.intervalSeconds * 1_000;
  }

  /** How long a sweep takes within the request budgets, in milliseconds: the slowest credential counts. */
  get sweepMs(): number {
    return sweepMs(this.#requests, this.#ports.budgets());
  }

  /** When the next sweep is due; `undefined`: none is planned. */
  nextRun(): Date | undefined {
    return this.#schedule.nextRun();
  }

  replace(options: ScheduleOptions): void {
    this.#schedule[Symbol.dispose]();
    this.#options = options;
    this.#schedule = startSchedule(options, this.#ports);
  }

  /** Takes the requests of a sweep; warns when sweeps begin to take longer than the schedule leaves for them. */
  expectRequests(requests: SweepRequests): void {
    this.#requests = requests;
    const { sweepMs: takes, longestGapMs } = this;
    const isTooFast = takes > longestGapMs;
    if (isTooFast && !this.#isTooFast) {
      this.#ports.logger.warn(
        { sweep_seconds: seconds(takes), schedule_seconds: seconds(longestGapMs) },
        "request budget too small for the schedule: sweep less often, or use more tokens",
      );
    }
    this.#isTooFast = isTooFast;
  }

  [Symbol.dispose](): void {
    this.#schedule[Symbol.dispose]();
  }
}

/** Requests that a sweep of all declared zones takes, by the name of the credential. */
export type SweepRequests = ReadonlyMap<string, number>;

const zonesPerPage = 50;

/**
 * Counts the requests of a sweep: one for each part that a zone declares and for each custom ruleset, or one for all its lists of rules where their
 * versions are trusted, and the pages of the zone list.
 */
export function sweepRequests(
  zones: Iterable<DesiredZone>,
  credentialOf: (zone: Zone) => string,
  versions: Config["api"]["rulesetVersions"],
): SweepRequests {
  // In parts of a page, which are whole numbers: thousands of fractions would add up to a request too many.
  const counts = new Map<string, number>();
  for (const { zone, content } of zones) {
    const name = credentialOf(zone);
    const { settings, policies, rules, customRulesets } = partsOf(content);
    // The custom rulesets are listed, and each is read.
    const custom = customRulesets === undefined ? 0 : 1 + customRulesets.keys.length;
    const lists = versions === "trust" ? Math.min(rules.length, 1) : rules.length + custom;
    const parts = Number(settings) + Number(policies) + lists;
    counts.set(name, (counts.get(name) ?? 0) + parts * zonesPerPage + 1);
  }
  return new Map(counts.entries().map(([name, count]) => [name, count / zonesPerPage]));
}

/** Credentials work in parallel: the slowest counts. */
function sweepMs(requests: SweepRequests, budgets: readonly RequestBudget[]): number {
  return Math.max(
    0,
    ...budgets.map(({ name, perSecond }) => ((requests.get(name) ?? 0) / perSecond) * 1_000),
  );
}

export function forecastOf(
  zones: Iterable<DesiredZone>,
  { credentials, credentialOf }: Pick<ServiceClient, "credentials" | "credentialOf">,
  versions: Config["api"]["rulesetVersions"],
): SweepForecast {
  const requests = sweepRequests(zones, credentialOf, versions);
  const budgets = credentials.map(({ state }) => state);
  return {
    requests: Math.ceil(sum(requests.values())),
    ms: sweepMs(requests, budgets),
  };
}

function seconds(ms: number): number {
  return Math.round(ms / 1_000);
}
