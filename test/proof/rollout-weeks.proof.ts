import * as fc from "fast-check";
import { describe, it } from "vitest";

import { GateKeeper } from "../../src/measure/gate-keeper.ts";
import { wavesOf } from "../../src/reconcile/fleet/waves.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import { type LiveZone, rulesIn } from "../../src/zone/live-zone.ts";
import type { Promotion } from "../../src/zone/promotion.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import type { RolloutSettings } from "../../src/zone/wave.ts";
import { block, declared, desiredZone, policy, promotion } from "../support/model.ts";
import { named } from "../support/reports.ts";
import { MemoryRunStore } from "../support/run-store.ts";
import {
  fiveMinutes,
  hour,
  MemorySteps,
  minute,
  StepsWorld,
  Traffic,
} from "../support/stepping.ts";
import { defaultOptions, many } from "../support/world.ts";

const day = 24 * hour;
const checkout: ResourceKey = "policy/checkout";
const names = many(100);

const settings: RolloutSettings = {
  waves: [
    { by: "zones", zones: ["z7.example", "z31.example", "z90.example"].map(named) },
    { by: "share", share: 0.1 },
    { by: "share", share: 0.5 },
    { by: "share", share: 1 },
  ],
  soakMs: day,
  appliesTo: "all",
  gate: { violationsPer10k: 1, blockedPer10k: undefined, requestsAtLeast: 1000 },
};
const waves = wavesOf(settings.waves, new Set(names.map(named)));

function waveOf(name: string): number {
  return waves.get(named(name)) ?? 0;
}

const weekThenDay: Promotion = promotion({
  steps: ["log", "allow"],
  afterMs: 7 * day,
  when: { ratePer10k: 1, unknownScripts: undefined, requestsAtLeast: 1_000 },
  watchMs: day,
  rollback: { ratePer10k: 5, requestsAtLeast: 1_000 },
});

/** What the policy allows in one revision after the other. */
const [first, second] = ["script-src 'self'", "script-src 'self' https://pay.example"] as const;

function content(action: "log" | "allow", value: string, promote?: Promotion): ZoneContent {
  const expression = 'http.host eq "checkout.example"';
  return desiredZone({
    settings: [{ name: "enabled", value: true }],
    policies: declared([policy("checkout", { action, expression, value, promotion: promote })]),
    rules: { custom_rules: declared([block("bots")]) },
  }).content;
}

/** Every fifth zone has the second policy from the beginning, and blocks by it. */
function isEarly(nth: number): boolean {
  return nth % 5 === 0;
}

const others = names.filter((_, nth) => !isEarly(nth));

function contentBefore(nth: number): ZoneContent {
  return isEarly(nth) ? content("allow", second) : content("log", first);
}

/** 100 zones, a policy that breaks some of them, and what happens to them in weeks. */
class Weeks {
  world: StepsWorld;
  #keeper: GateKeeper;
  readonly #broken: ReadonlySet<string>;
  /** When visitors of a zone began to be blocked, and how long no process ran since, in milliseconds. */
  readonly #blocked = new Map<string, { readonly at: number; readonly downMs: number }>();
  /** When a zone got the policy that it has. */
  readonly #valueAt = new Map<string, number>();
  readonly #before: ReadonlyMap<string, LiveZone>;
  readonly violations: string[] = [];
  /** Zones that came to `allow`. */
  readonly promoted = new Set<string>();
  /** How long visitors of a zone were blocked while a process ran. */
  readonly backAfterMs = new Map<string, number>();
  restarts = 0;
  #ticks = 0;

  private constructor(world: StepsWorld, broken: readonly string[]) {
    this.world = world;
    this.#broken = new Set(broken);
    this.#before = new Map(world.live);
    this.#keeper = this.#watch();
  }

  static async begin(broken: readonly string[]): Promise<Weeks> {
    const traffic = new Traffic(new Map(names.map((name) => [name, [checkout]])));
    const runStore = new MemoryRunStore();
    const world = new StepsWorld(names, traffic, new MemorySteps(), runStore, {
      fleetLimits: { ...defaultOptions.fleetLimits, maxFleetShare: 1, accept: ["r2"] },
      rollout: settings,
    });
    for (const [nth, name] of names.entries()) {
      world.files.set(name, contentBefore(nth));
      world.edit(name, () => ({ entrypoints: { custom_rules: { state: "absent" } } }));
    }
    world.remember();
    world.storedRollout = { revision: "r1", waiting: new Map(), gone: new Map() };
    await world.begin();
    return new Weeks(world, broken);
  }

  get #now(): number {
    return this.world.serviceNow;
  }

  #watch(): GateKeeper {
    const { world } = this;
    world.written = (before, after) => this.#judge(before, after);
    const limits = { violationsPer10k: 1, blockedPer10k: undefined, requestsAtLeast: 1_000 };
    return new GateKeeper(
      { limits, soakMs: settings.soakMs },
      {
        gated: () => world.reconciler.gated,
        judged: (judgements) => world.reconciler.judgeGate(judgements),
        reader: { read: (at, zone) => Promise.resolve(world.traffic.record(zone, at)) },
        serviceNow: () => world.serviceNow,
        clock: world.clock,
        bug: (error, zone) => world.bugs.tell(error, zone),
      },
    );
  }

  /** Judges a write by what the zone is before and after it. */
  #judge(before: LiveZone, after: LiveZone): void {
    const { name } = after.zone;
    const [was, is] = [lookAt(before), lookAt(after)];
    if (was.value !== is.value) this.#valueAt.set(name, this.#now);
    const start = this.#before.get(name);
    if (start !== undefined && isWeaker(is, lookAt(start))) {
      this.#say(name, "weaker than before the rollout");
    }
    if (was.action === "log" && is.action === "allow") this.#judgePromotion(name);
    if (was.action === "allow" && is.action === "log") this.#judgeSetBack(name);
  }

  #judgePromotion(name: string): void {
    this.promoted.add(name);
    const hours = (this.#now - (this.#valueAt.get(name) ?? this.#now)) / hour;
    if (hours < 168) this.#say(name, `promoted after ${hours} h`);
    if (waveOf(name) > this.firstWave) {
      this.#say(name, `promoted, and wave ${this.firstWave} is broken`);
    }
    if (this.#broken.has(name)) this.#blocked.set(name, { at: this.#now, downMs: 0 });
  }

  #judgeSetBack(name: string): void {
    const blocked = this.#blocked.get(name);
    if (blocked === undefined) this.#say(name, "set back, and it is not broken");
    else this.backAfterMs.set(name, this.#now - blocked.at - blocked.downMs);
    this.#blocked.delete(name);
  }

  #say(name: string, what: string): void {
    this.violations.push(`${name} of wave ${waveOf(name)}: ${what}`);
  }

  /** The first wave with a zone that the second policy breaks. */
  get firstWave(): number {
    return Math.min(...[...this.#broken].map(waveOf));
  }

  /** All zones are to block by the second policy. */
  async declare(): Promise<void> {
    for (const name of names) this.world.files.set(name, content("allow", second, weekThenDay));
    await this.world.reload("r2", minute);
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += fiveMinutes) await this.#fiveMinutes();
  }

  async #fiveMinutes(): Promise<void> {
    const { traffic } = this.world;
    this.#ticks += 1;
    if (this.#ticks % 24 === 0) this.world.reconciler.requestSweep("schedule");
    if (this.#ticks % 373 === 0) await this.#restart();
    traffic.noisy.clear();
    for (const name of this.#blocked.keys()) traffic.noisy.add(`${name} ${checkout}`);
    // The hours are read late, as long as no zone is watched.
    const isWatched = this.world.steps.views.some(({ objects }) =>
      objects.some((each) => each.isWatched),
    );
    traffic.measuring = isWatched || this.#ticks % 60 < 13 ? "on" : "late";
    await this.world.pass(fiveMinutes);
    if (this.#ticks % 12 === 0) await this.#keeper.judge(new AbortController().signal);
    await this.world.clock.advance(0);
    for (const [name, { at, downMs }] of this.#blocked) {
      // The five minutes begin at a multiple of five, and are complete three minutes after their end.
      const counted = Math.ceil(at / fiveMinutes) * fiveMinutes + fiveMinutes + 3 * minute;
      if (this.#now - counted - downMs > 10 * minute) {
        this.violations.push(`${name} is broken for ${(this.#now - at) / minute} min`);
      }
    }
    const { requests, priorities, reports, parsed } = this.world;
    for (const heard of [requests, priorities, reports, parsed]) heard.length = 0;
    this.world.loads.splice(0, this.world.loads.length - 1);
  }

  /** Another process goes on with what is stored: at once, as the next leader does, or after a time. */
  async #restart(): Promise<void> {
    this.restarts += 1;
    const afterMs = [0, 10 * minute, 2 * hour][this.restarts % 3] ?? 0;
    for (const [name, { at, downMs }] of this.#blocked) {
      this.#blocked.set(name, { at, downMs: downMs + afterMs });
    }
    this.world = await this.world.restart({ afterMs });
    this.#keeper = this.#watch();
  }
}

interface Look {
  readonly action: string;
  readonly value: string;
  readonly isOn: boolean;
  readonly isBlocking: boolean;
}

function lookAt({ policies = [], entrypoints, settings: now }: LiveZone): Look {
  const [found] = policies;
  const [rule] = rulesIn(entrypoints.custom_rules);
  return {
    action: found?.action ?? "",
    value: found?.value ?? "",
    isOn: now?.enabled === true,
    isBlocking: rule !== undefined && "name" in rule.action && rule.action.name === "block",
  };
}

/** Of a policy, the weakest first. */
const actions: readonly string[] = ["", "log", "allow"];

function isWeaker(is: Look, was: Look): boolean {
  return (
    actions.indexOf(is.action) < actions.indexOf(was.action) ||
    (was.isOn && !is.isOn) ||
    (was.isBlocking && !is.isBlocking)
  );
}

describe("a revision that lets a policy of 100 zones block, and breaks 6 % of them", () => {
  it("comes no further than the first wave with such a zone, which is back in minutes, and weakens none", async ({
    expect,
  }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([...others], { minLength: 6, maxLength: 6 }),
        async (broken) => {
          const weeks = await Weeks.begin(broken);
          try {
            await weeks.declare();
            // The nth wave begins on day n and is promoted a week later; a day after that, the next one would be.
            await weeks.pass((7 + weeks.firstWave + 2) * day);
            expect(weeks.violations).toEqual([]);
            const until = (wave: number): readonly string[] =>
              others.filter((name) => waveOf(name) <= wave);
            expect(weeks.promoted).toEqual(new Set(until(weeks.firstWave)));
            const back = until(weeks.firstWave).filter((name) => broken.includes(name));
            expect(new Set(weeks.backAfterMs.keys())).toEqual(new Set(back));
            expect(weeks.restarts).toBeGreaterThan(6);
          } finally {
            await weeks.world[Symbol.asyncDispose]();
          }
          const slowest = Math.max(...weeks.backAfterMs.values()) / minute;
          process.stdout.write(
            `broken in wave ${weeks.firstWave}: ${weeks.promoted.size} of ${others.length} zones promoted, ` +
              `${weeks.backAfterMs.size} set back, the last after ${slowest} min; ${weeks.restarts} restarts\n`,
          );
        },
      ),
      { numRuns: 1, endOnFailure: true },
    );
  });
});
