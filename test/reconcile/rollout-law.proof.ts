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
  | { readonly step: "command"; readonly command: Command }
  | {
      readonly step: "restart";
      readonly hours: number;
      readonly lose: readonly ("all" | "rollout" | "earlier")[];
    };

type Command = "pause" | "resume" | "abort" | "promote" | readonly string[];

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
  {
    weight: 3,
    arbitrary: fc.record({
      step: fc.constant("command" as const),
      command: fc.oneof(
        fc.constantFrom("pause" as const, "resume" as const, "abort" as const, "promote" as const),
        anyZones,
      ),
    }),
  },
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
  /** What each zone was before the rollout changed it. */
  readonly #origin = new Map<string, Name>();
  /** Zones that go whatever their wave is: a person let them go, or they went before the active revision. */
  readonly #letGo = new Set<string>();
  #halt: "paused" | "aborted" | undefined;
  /** Zones that the last abort takes back. */
  readonly #setBack = new Set<string>();
  /** Zones that are suspended, or were before the rollout. */
  readonly #suspended = new Set<string>();
  #revisions = 1;
  /** Whether only the state says what was in force before the active revision. */
  #wasRestarted = false;
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
    if (step.step === "command" && step.command === "abort") this.#checkSetBack();
  }

  async #command(asked: Command): Promise<void> {
    const command =
      asked === "pause" || asked === "resume" || asked === "abort"
        ? { name: asked, zones: [] }
        : { name: "promote" as const, zones: asked === "promote" ? [] : asked.map(named) };
    const asker = { by: "mia", from: "10.0.0.7" };
    const answering = this.world.reconciler.commandRollout(command, "", asker);
    await this.world.clock.advance(0);
    const answer = await answering;
    if (answer.result !== "done") return;
    if (command.name === "pause") this.#halt = "paused";
    else if (command.name === "resume") this.#halt = undefined;
    else if (command.name === "promote") for (const zone of answer.zones) this.#letGo.add(zone);
    else {
      this.#halt = "aborted";
      this.#letGo.clear();
      this.#changed.clear();
      for (const zone of answer.zones) this.#setBack.add(zone);
    }
  }

  /** An abort ends with what was there before, in each zone that can be written. */
  #checkSetBack(): void {
    for (const zone of this.#setBack) {
      const isOutOfReach =
        this.#broken.has(zone) ||
        this.world.unlistable.zones.includes(zone) ||
        this.#suspended.has(zone) ||
        this.#wasRestarted;
      const before = this.#origin.get(zone) ?? this.#seen.get(zone);
      if (isOutOfReach || this.#look(zone) === before) continue;
      this.violations.push(`${zone} is not ${before} again`);
    }
  }

  async #do(step: Exclude<Step, { readonly step: "pass" }>): Promise<void> {
    if (step.step === "commit" || step.step === "suspend" || step.step === "drop") {
      const before = new Map(this.#declared);
      this.#editFiles(step);
      for (const zone of this.#letGo) {
        if (before.get(zone) !== this.#declared.get(zone)) this.#letGo.delete(zone);
      }
      if (this.#halt === "aborted") this.#halt = undefined;
      await this.world.reload(`r${(this.#revisions += 1)}`);
    } else if (step.step === "restart") {
      this.#before = this.#now + step.hours * hour;
      this.world = await this.world.restart({ afterMs: step.hours * hour, lose: step.lose });
      // On the word of the state alone, nothing is weakened.
      this.#wasRestarted = true;
      if (step.lose.includes("all")) this.#halt = undefined;
      this.#setFaults();
    } else if (step.step === "command") await this.#command(step.command);
    else if (step.step === "jump") this.world.clock.step(step.hours * hour);
    else this.#disturb(step);
  }

  #disturb(
    step: Exclude<Step, { readonly step: "pass" | "jump" | "restart" | "command" | Edit["step"] }>,
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
        this.#suspended.add(zone);
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
    this.#see(ms, declaredBefore);
    for (const { changing } of this.world.reconciler.waves ?? []) {
      for (const zone of changing) this.#letGo.add(zone);
    }
  }

  #see(ms: number, declaredBefore: ReadonlyMap<string, Name>): void {
    const seen = new Map(many(7).map((zone) => [zone, this.#look(zone)]));
    const before = new Map(this.#seen);
    for (const [zone, name] of seen) if (name !== undefined) this.#seen.set(zone, name);
    for (const [zone, was] of before) {
      const is = seen.get(zone);
      if (is === undefined || is === was || !isInWaves(was, is)) continue;
      this.#judge(zone, is, ms, declaredBefore);
      if (this.#halt !== "aborted") this.#changed.set(zone, this.#now);
      if (!this.#origin.has(zone)) this.#origin.set(zone, was);
    }
    this.#leaveAll(before);
    if (many(7).every((zone) => !this.#isLeft(zone, this.#declared))) this.#changed.clear();
    if (this.world.where === undefined) this.#end();
  }

  /** No rollout is under way. */
  #end(): void {
    this.#halt = undefined;
    this.#wasRestarted = false;
    this.#origin.clear();
    for (const zone of this.#suspended) {
      if (this.world.files.get(zone)?.suspension === undefined) this.#suspended.delete(zone);
    }
  }

  #judge(zone: string, is: Name, ms: number, declaredBefore: ReadonlyMap<string, Name>): void {
    const isForward = is === this.#declared.get(zone) && is !== this.#origin.get(zone);
    if (this.#halt === "aborted" && isForward) this.violations.push(`${zone} went after the abort`);
    const isAsked = this.#letGo.delete(zone) || this.#setBack.delete(zone);
    if (!isAsked && !this.#isFormer(zone, is)) this.#check(zone, ms, declaredBefore);
  }

  #leaveAll(before: ReadonlyMap<string, Name>): void {
    for (const [zone, was] of before) {
      if (was !== this.#seen.get(zone)) this.#leave(zone, was);
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
    if (this.#halt === "paused") this.violations.push(`${zone} went though it was paused`);
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
