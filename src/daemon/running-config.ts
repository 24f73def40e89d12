import { isDeepStrictEqual } from "node:util";

import type { Config, LoadedConfig } from "../desired/config/config.ts";
import type { Diagnostic } from "../zone/diagnostic.ts";

/** What a new reading of the configuration came to. */
export interface ConfigChange {
  /** Keys that are in force from now on. */
  readonly applied: readonly string[];
  /** Keys that differ from what the program was started with, and wait for its next start. */
  readonly waiting: readonly string[];
}

/** Everything of a configuration by its key: what can change while the program runs, and what cannot. */
function partsOf(config: Config): {
  readonly live: Readonly<Record<string, unknown>>;
  readonly fixed: Readonly<Record<string, unknown>>;
} {
  const { mode, limits, windows, inventory, schedule, log, ...fixed } = config;
  const { cron, timezone, onChange, debounceMs } = schedule;
  return {
    live: {
      mode,
      limits,
      windows,
      inventory,
      "schedule.cron": cron,
      "schedule.timezone": timezone,
      "log.level": log.level,
    },
    fixed: {
      ...fixed,
      "schedule.on_change": onChange,
      "schedule.debounce": debounceMs,
      "log.format": log.format,
    },
  };
}

/** The configuration in force: what can change does when the file changes, the rest stays as it was at the start. */
export class RunningConfig {
  #current: Config;
  #diagnostics: readonly Diagnostic[] = [];

  constructor(config: Config) {
    this.#current = config;
  }

  get current(): Config {
    return this.#current;
  }

  /** What is wrong in the file now; while there are errors, what was good before stays in force. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics;
  }

  /** Takes a new reading over; `undefined` where it cannot be used. */
  take({ config, diagnostics }: LoadedConfig): ConfigChange | undefined {
    this.#diagnostics = diagnostics;
    if (config === undefined) return undefined;
    const before = partsOf(this.#current);
    const after = partsOf(config);
    const { schedule, log } = this.#current;
    this.#current = {
      ...this.#current,
      mode: config.mode,
      limits: config.limits,
      windows: config.windows,
      inventory: config.inventory,
      schedule: { ...schedule, cron: config.schedule.cron, timezone: config.schedule.timezone },
      log: { ...log, level: config.log.level },
    };
    return {
      applied: differing(before.live, after.live),
      waiting: differing(before.fixed, after.fixed),
    };
  }
}

function differing(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): readonly string[] {
  return Object.keys(after).filter((key) => !isDeepStrictEqual(before[key], after[key]));
}
