import { setImmediate } from "node:timers/promises";

import { describe, it } from "vitest";

import { createAnalytics } from "../../src/api/analytics-reader.ts";
import { Collector } from "../../src/measure/collector.ts";
import { countIn, dayRecordOf } from "../../src/measure/day-record.ts";
import { dayOf } from "../../src/measure/hours.ts";
import type { HourCount } from "../../src/measure/measurement.ts";
import { openDatabaseStore } from "../../src/memory/database-store.ts";
import { coerceObject, coerceObjects, coerceText } from "../../src/syntax/json.ts";
import { hourMs } from "../../src/syntax/time-units.ts";
import type { AskAnalytics } from "../../src/zone/ports.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import { control } from "../support/ask.ts";
import { SimulatedClock } from "../support/clock.ts";
import { collectorPorts, countedContent, keptMs } from "../support/collecting.ts";
import { type Emulated, emulated } from "../support/emulated.ts";
import { MemoryTables } from "../support/memory-tables.ts";
import { eventually } from "../support/processes.ts";

const start = new Date("2026-11-09T12:00:00Z");
const startHour = start.getTime() / hourMs;
const rule = { action: "block", expression: "ssl" };
const policy = { action: "log", expression: "ssl", value: "script-src 'self'" };

/** A zone whose events can be read for a day, its requests for a week and its violations for a month. */
const proZone = {
  plan: "pro",
  entitlements: { policies: 5 },
  traffic: { requests_per_hour: 3_000 },
  policies: [{ ...policy, description: "checkout" }],
  rulesets: [
    {
      name: "default",
      phase: "http_request_firewall_custom",
      rules: [
        { ...rule, description: "first", ref: "first" },
        { ...rule, action: "managed_challenge", description: "second", ref: "second" },
      ],
    },
  ],
};

interface TruthOfHour {
  readonly requests: number;
  readonly objects: ReadonlyMap<string, number>;
}

/** Processes that take turns over one database and the emulator. */
class Turns {
  readonly clock: SimulatedClock;
  readonly at: Emulated;
  readonly bugs: unknown[] = [];
  readonly #liveKeys: ReadonlyMap<string, ResourceKey>;
  readonly #tables = new MemoryTables();
  #inFlight = 0;

  static async start(clock: SimulatedClock): Promise<Turns> {
    const at = await emulated(proZone, { clock });
    const { objects } = await truthOf(at, startHour - 3);
    const liveKeys = new Map<string, ResourceKey>();
    for (const [nth, name] of [...objects.keys()].entries()) {
      const [kind, id = ""] = name.split(" ");
      liveKeys.set(id, kind === "policy" ? `policy/p${nth}` : `custom_rule/r${nth}`);
    }
    return new Turns(clock, at, liveKeys);
  }

  private constructor(clock: SimulatedClock, at: Emulated, liveKeys: Turns["liveKeys"]) {
    this.clock = clock;
    this.at = at;
    this.#liveKeys = liveKeys;
  }

  get liveKeys(): ReadonlyMap<string, ResourceKey> {
    return this.#liveKeys;
  }

  /** Begins the term of a process; what it gives ends that process. */
  async begin(): Promise<() => Promise<void>> {
    const { clock } = this;
    const told = { onFailure: ignore, onRecovery: ignore, onLost: ignore };
    const identity = { owner: "us", service: "https://service.example" };
    const { measurements: store } = await openDatabaseStore(
      "the database",
      this.#tables,
      identity,
      undefined,
      { ...told, clock },
    );
    const analytics = createAnalytics(this.at.service);
    const ask: AskAnalytics = async (...asked) => {
      this.#inFlight += 1;
      try {
        return await analytics(...asked);
      } finally {
        this.#inFlight -= 1;
      }
    };
    const bug = (error: unknown): void => void this.bugs.push(error);
    const collector = new Collector(
      { maxAgeMs: keptMs },
      collectorPorts({ ask, clock, store, bug }),
    );
    collector.declare([{ zone: this.at.zone, content: countedContent }]);
    collector.note(this.at.zone.name, this.#liveKeys);
    const stop = new AbortController();
    const ended = collector.runUntil(stop.signal);
    return async () => {
      stop.abort();
      await ended;
    };
  }

  /** Lets time pass, as far as the answers come. */
  async minutes(count: number): Promise<void> {
    for (let passed = 0; passed < count; passed += 5) {
      await this.clock.advance(5 * 60_000);
      do {
        await eventually("the answers", async () => {
          if (this.#inFlight === 0) return true;
          // A query may wait for the request budget.
          await this.clock.advance(10_000);
          return undefined;
        });
        for (let turn = 0; turn < 5; turn += 1) await setImmediate();
      } while (this.#inFlight > 0);
    }
  }

  async count(what: ResourceKey | "requests", hour: number): Promise<HourCount> {
    const { name } = this.at.zone;
    const day = dayOf(hour);
    const text = await this.#tables.measurement(day, name);
    return countIn(dayRecordOf(name, day, text), what, hour % 24);
  }
}

function ignore(): void {
  // Only what is stored counts.
}

/** The exact counts of an hour; objects as `policy ID` and `rule ID`. */
async function truthOf({ emulator }: Emulated, hour: number): Promise<TruthOfHour> {
  const time = new Date(hour * hourMs).toISOString();
  const url = new URL(`/_emulator/traffic?zone=shop.example.com&hour=${time}`, emulator.baseUrl);
  const { requests, policies, rules } = coerceObject(await (await fetch(url)).json());
  const objects = new Map<string, number>();
  for (const [kind, list] of [["policy", policies] as const, ["rule", rules] as const]) {
    for (const { id, count } of coerceObjects(list)) {
      const key = `${kind} ${coerceText(id)}`;
      objects.set(key, Number(count) + (objects.get(key) ?? 0));
    }
  }
  return { requests: Number(requests), objects };
}

describe("ten days of a zone whose events can be read for a day", () => {
  it("are kept as they were, through restarts and changes of the leader", async ({ expect }) => {
    const turns = await Turns.start(new SimulatedClock(start));
    await using _emulator = turns.at;
    expect(turns.liveKeys.size).toBe(3);
    let end = await turns.begin();
    for (let day = 0; day < 10; day += 1) {
      await turns.minutes(60 * (5 + day));
      if (day % 3 === 1) {
        // The next leader begins while the one before is not done.
        const next = await turns.begin();
        await turns.minutes(90);
        await end();
        end = next;
      } else {
        await end();
        await turns.minutes(day === 6 ? 60 * 31 : 47 * (day + 1));
        end = await turns.begin();
      }
      const traffic = { zone: "shop.example.com", requests_per_hour: 2_000 + 700 * day };
      await control(turns.at.emulator, "/traffic", traffic);
      await turns.minutes(60 * (12 - day));
    }
    await turns.minutes(60);
    await end();

    const lastHour = startHour + Math.floor(turns.clock.monotonicMs() / hourMs) - 2;
    const gaps: number[] = [];
    let compared = 0;
    for (let hour = startHour - 20; hour <= lastHour; hour += 1) {
      const { requests, objects } = await truthOf(turns.at, hour);
      expect(await turns.count("requests", hour)).toMatchObject({
        state: "measured",
        count: requests,
      });
      for (const [name, count] of objects) {
        const key = turns.liveKeys.get(name.slice(name.indexOf(" ") + 1)) ?? "policy/none";
        const found = await turns.count(key, hour);
        compared += 1;
        const isGap = found.state === "missing" && key.startsWith("custom_rule/");
        if (isGap) gaps.push(hour - startHour);
        else expect({ key, hour, ...found }).toMatchObject({ key, state: "measured", count });
      }
    }
    expect(compared).toBeGreaterThan(600);
    // Of a gap of 31 hours, what was longer ago than a day is lost, and shown as missing.
    expect(new Set(gaps).size).toBeGreaterThanOrEqual(6);
    expect(new Set(gaps).size).toBeLessThanOrEqual(9);
    expect(turns.bugs).toEqual([]);
  });
});
