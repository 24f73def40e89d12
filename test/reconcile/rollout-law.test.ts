import * as fc from "fast-check";
import { describe, it } from "vitest";

import { wavesOf } from "../../src/reconcile/fleet/waves.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import { cases } from "../support/properties.ts";
import { named } from "../support/reports.ts";
import {
  blocking,
  fleetInWaves,
  hour,
  off,
  reporting,
  settings,
  type WavesWorld,
  weakBlocking,
} from "../support/waves.ts";
import { many, ServiceFault } from "../support/world.ts";

const contents = { reporting, blocking, off, weakBlocking };

type Name = keyof typeof contents;

const names = ["reporting", "blocking", "off", "weakBlocking"] as const;

/** What may happen to a fleet. */
type Step =
  | { readonly step: "commit"; readonly content: Name; readonly zones: readonly string[] }
  | { readonly step: "drift"; readonly zones: readonly string[] }
  | { readonly step: "suspend"; readonly zones: readonly string[] }
  | { readonly step: "drop"; readonly zones: readonly string[] }
  | { readonly step: "applyByHand"; readonly zones: readonly string[] }
  | { readonly step: "break"; readonly zones: readonly string[] }
  | { readonly step: "mend" }
  | { readonly step: "pass"; readonly hours: number }
  | { readonly step: "jump"; readonly hours: number }
  | { readonly step: "hide"; readonly zones: readonly string[] }
  | {
      readonly step: "restart";
      readonly hours: number;
      readonly lose: readonly ("all" | "rollout" | "earlier")[];
    };

type Edit = Extract<Step, { readonly step: "commit" | "suspend" | "drop" }>;

const anyZones = fc.subarray([...many(7)], { minLength: 1 });

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      step: fc.constant("commit" as const),
      content: fc.constantFrom(...names),
      zones: fc.oneof(anyZones, fc.constant([...many(7)])),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      step: fc.constant("pass" as const),
      hours: fc.constantFrom(1, 5, 13, 24, 30),
    }),
  },
  fc.record({ step: fc.constant("drift" as const), zones: anyZones }),
  fc.record({ step: fc.constant("suspend" as const), zones: anyZones }),
  fc.record({ step: fc.constant("drop" as const), zones: anyZones }),
  fc.record({ step: fc.constant("applyByHand" as const), zones: anyZones }),
  fc.record({ step: fc.constant("break" as const), zones: anyZones }),
  fc.record({ step: fc.constant("hide" as const), zones: anyZones }),
  fc.constant({ step: "mend" as const }),
  fc.record({ step: fc.constant("jump" as const), hours: fc.constantFrom(-500, 500) }),
  fc.record({
    step: fc.constant("restart" as const),
    hours: fc.constantFrom(0, 3, 25),
    lose: fc.constantFrom([], [], ["all"], ["rollout"], ["earlier"]),
  }),
);

/** Whether a change goes out in waves: all but to switch Page Shield on. */
function isInWaves(from: Name, to: Name): boolean {
  const [a, b] = [contents[from], contents[to]];
  return actionOf(a) !== actionOf(b) || (isOn(a) && !isOn(b));
}

function actionOf({ policies }: ZoneContent): string | undefined {
  return policies?.items[0]?.action;
}

function isOn({ settings: [first] }: ZoneContent): boolean {
  return first?.value === true;
}

/** Watches what becomes of the zones, knowing nothing of how the waves are kept. */
class Watched {
  world: WavesWorld;
  /** Milliseconds since the begin, whichever process ran. */
  #before = 0;
  /** What each zone was last seen as, which only the daemon can have made of it. */
  readonly #seen = new Map<string, Name>(many(7).map((zone) => [zone, "reporting"]));
  readonly #declared = new Map<string, Name>(this.#seen);
  /** What was in force in each zone. */
  readonly #former = new Map<string, ReadonlySet<Name>>();
  /** When each zone last took a change that goes out in waves, since none was left to do. */
  readonly #changed = new Map<string, number>();
  readonly #broken = new Set<string>();
  /** Zones that went before and were not seen as declared since: they go on, whatever their wave is now. */
  readonly #going = new Set<string>();
  #revisions = 1;
  readonly violations: string[] = [];

  constructor(world: WavesWorld) {
    this.world = world;
  }

  async take(step: Step): Promise<void> {
    const declared = new Map(this.#declared);
    if (step.step === "pass") {
      for (let passed = 0; passed < step.hours; passed += 1) await this.#pass(hour, declared);
      return;
    }
    await this.#do(step);
    await this.#pass(60_000, declared);
    await this.world.sweep("manual");
    await this.#pass(60_000, declared);
  }

  async #do(step: Exclude<Step, { readonly step: "pass" }>): Promise<void> {
    if (step.step === "commit" || step.step === "suspend" || step.step === "drop") {
      const before = new Map(this.#declared);
      this.#editFiles(step);
      for (const zone of this.#going) {
        if (before.get(zone) !== this.#declared.get(zone)) this.#going.delete(zone);
      }
      await this.world.reload(`r${(this.#revisions += 1)}`);
    } else if (step.step === "restart") {
      this.#before = this.#now + step.hours * hour;
      this.world = await this.world.restart({ afterMs: step.hours * hour, lose: step.lose });
      this.#setFaults();
    } else if (step.step === "jump") this.world.clock.step(step.hours * hour);
    else this.#disturb(step);
  }

  #disturb(
    step: Exclude<Step, { readonly step: "pass" | "jump" | "restart" | Edit["step"] }>,
  ): void {
    switch (step.step) {
      case "drift":
        for (const zone of step.zones) {
          this.world.edit(zone, ({ policies }) => ({
            policies: policies.map((each) => ({ ...each, value: "script-src *" })),
          }));
        }
        return;
      case "applyByHand":
        for (const zone of step.zones) this.#applyByHand(zone);
        return;
      case "hide":
        this.world.unlistable = { zones: step.zones, failed: [] };
        return;
      case "break":
        for (const zone of step.zones) this.#broken.add(zone);
        this.#setFaults();
        return;
      case "mend":
        this.#broken.clear();
        this.#setFaults();
        this.world.unlistable = { zones: [], failed: [] };
    }
  }

  #editFiles(step: Edit): void {
    const { files } = this.world;
    // The last zone cannot be dropped: files without zones are a mistake.
    const zones = step.step === "drop" ? step.zones.slice(1) : step.zones;
    for (const zone of zones) {
      if (step.step === "drop") {
        this.#declared.delete(zone);
        files.delete(zone);
      } else if (step.step === "commit") {
        this.#declared.set(zone, step.content);
        files.set(zone, contents[step.content]);
      } else {
        const content = files.get(zone);
        const suspension = { reason: "incident", until: undefined };
        if (content !== undefined) files.set(zone, { ...content, suspension });
      }
    }
  }

  /** Somebody brings a zone to what its files declare: that is no doing of the daemon. */
  #applyByHand(zone: string): void {
    const name = this.#declared.get(zone);
    if (name === undefined || this.#look(zone) === undefined) return;
    const action = actionOf(contents[name]) ?? "";
    this.world.edit(zone, ({ policies, settings: now }) => ({
      policies: policies.map((each) => ({ ...each, action })),
      settings: now && { ...now, enabled: isOn(contents[name]) },
    }));
    const was = this.#seen.get(zone);
    if (was !== undefined) this.#leave(zone, was);
    this.#seen.set(zone, name);
  }

  #setFaults(): void {
    this.world.faults.clear();
    for (const zone of this.#broken) {
      this.world.faults.set(zone, () => new ServiceFault("API_UNREACHABLE", true));
    }
  }

  get #now(): number {
    return this.#before + this.world.clock.monotonicMs();
  }

  /** Lets time pass, and looks at what has changed meanwhile. A revision counts as the one before, too, while it comes. */
  async #pass(ms: number, declaredBefore: ReadonlyMap<string, Name>): Promise<void> {
    await this.world.clock.advance(ms);
    const seen = new Map(many(7).map((zone) => [zone, this.#look(zone)]));
    const before = new Map(this.#seen);
    for (const [zone, name] of seen) if (name !== undefined) this.#seen.set(zone, name);
    for (const [zone, was] of before) {
      const is = seen.get(zone);
      if (is === undefined || is === was || !isInWaves(was, is)) continue;
      const goesOn = this.#going.delete(zone);
      if (!goesOn && !this.#isFormer(zone, is)) this.#check(zone, ms, declaredBefore);
      this.#changed.set(zone, this.#now);
    }
    for (const [zone, was] of before) {
      if (was !== this.#seen.get(zone)) this.#leave(zone, was);
    }
    if (many(7).every((zone) => !this.#isLeft(zone, this.#declared))) this.#changed.clear();
    this.#noteGoing();
  }

  #noteGoing(): void {
    for (const [zone, { appliedAt }] of this.world.loads.at(-1)?.rollout?.stored?.gone ?? []) {
      if (appliedAt === undefined) this.#going.add(zone);
    }
  }

  #leave(zone: string, was: Name): void {
    this.#former.set(zone, new Set([...(this.#former.get(zone) ?? []), was]));
  }

  /** Which content a zone shows whole; `undefined`: it has drifted, or is between two. */
  #look(zone: string): Name | undefined {
    const { policies = [], settings: now } = this.world.live.get(zone) ?? {};
    const [policy] = policies;
    if (policy === undefined || policy.value === "script-src *") return undefined;
    return names.find(
      (name) => actionOf(contents[name]) === policy.action && isOn(contents[name]) === now?.enabled,
    );
  }

  /** What was in force within a day, or since the rollout began, may come back at once. */
  #isFormer(zone: string, name: Name): boolean {
    return this.#former.get(zone)?.has(name) === true;
  }

  #isLeft(zone: string, declared: ReadonlyMap<string, Name>): boolean {
    const [is, to] = [this.#seen.get(zone), declared.get(zone)];
    return is !== undefined && to !== undefined && isInWaves(is, to);
  }

  #check(zone: string, ms: number, declaredBefore: ReadonlyMap<string, Name>): void {
    const waves = wavesOf(settings.waves, new Set([...this.#declared.keys()].map(named)));
    const wave = waves.get(named(zone)) ?? 0;
    for (const other of this.#declared.keys()) {
      if ((waves.get(named(other)) ?? 0) >= wave) continue;
      const isLeft = this.#isLeft(other, this.#declared) && this.#isLeft(other, declaredBefore);
      if (isLeft) this.violations.push(`${zone} went before ${other}`);
      const changed = this.#changed.get(other);
      if (changed !== undefined && this.#now - changed < settings.soakMs - ms) {
        this.violations.push(`${zone} went ${(this.#now - changed) / hour} h after ${other}`);
      }
    }
  }
}

describe("a rollout", () => {
  it("changes no zone before the waves before it were applied and have soaked, whatever happens", async ({
    expect,
  }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 4, maxLength: 16 }), async (steps) => {
        const watched = new Watched(await fleetInWaves());
        try {
          for (const step of steps) await watched.take(step);
        } finally {
          await watched.world[Symbol.asyncDispose]();
        }
        expect(watched.violations).toEqual([]);
      }),
      cases(300),
    );
  });
});
