import * as fc from "fast-check";
import { describe, it } from "vitest";

import type { StepEvent } from "../../src/state/step-wait.ts";
import { type LiveZone, rulesIn } from "../../src/zone/live-zone.ts";
import type { Promotion, StepValue } from "../../src/zone/promotion.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import { cases } from "../support/properties.ts";
import { named } from "../support/reports.ts";
import {
  fiveMinutes,
  hour,
  type Measuring,
  ofRule,
  shortly,
  steppedContent,
  steppingWorld,
  type StepsWorld,
} from "../support/stepping.ts";
import { ServiceFault } from "../support/world.ts";

const timeOnly: Promotion = { ...shortly, when: "time_only", rollback: undefined };

const declared: Readonly<Record<string, Readonly<Record<ResourceKey, Promotion>>>> = {
  "z0.example": {
    "policy/checkout": shortly,
    "policy/search": shortly,
    "custom_rule/bots": ofRule,
  },
  "z1.example": { "policy/checkout": timeOnly, "custom_rule/bots": ofRule },
};

const names = Object.keys(declared);

/** What may happen to zones whose objects are on their way; `at` chooses the object. */
type Happening =
  | { readonly step: "pass"; readonly hours: number }
  | { readonly step: "noise" | "edit" | "value" | "conditions" | "ladder"; readonly at: number }
  | { readonly step: "promote" | "promoteOne"; readonly at: number }
  | { readonly step: "quiet" | "mend" | "noiseWatched" }
  | { readonly step: "idle" | "break" | "abort" | "pause" | "resume"; readonly zone: string }
  | { readonly step: "measure"; readonly measuring: Measuring }
  | { readonly step: "jump"; readonly hours: number }
  | { readonly step: "restart"; readonly hours: number; readonly lose: boolean | string };

const anyObject = fc.record({
  step: fc.constantFrom(
    "noise",
    "noise",
    "edit",
    "value",
    "conditions",
    "ladder",
    "promote",
    "promoteOne",
  ),
  at: fc.nat(4),
});

const anyHappening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ step: fc.constant("pass"), hours: fc.constantFrom(1, 2, 3, 5, 8) }),
  },
  { weight: 5, arbitrary: anyObject },
  {
    weight: 4,
    arbitrary: fc.record({
      step: fc.constantFrom("quiet", "mend", "noiseWatched", "noiseWatched"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      step: fc.constantFrom("idle", "break", "abort", "pause", "resume"),
      zone: fc.constantFrom(...names),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      step: fc.constant("measure"),
      measuring: fc.constantFrom("on", "on", "late", "failed", "denied"),
    }),
  },
  fc.record({ step: fc.constant("jump"), hours: fc.constantFrom(-500, 500) }),
  {
    weight: 2,
    arbitrary: fc.record({
      step: fc.constant("restart"),
      hours: fc.constantFrom(0, 0, 1, 4),
      lose: fc.constantFrom(false, false, false, true, '{"objects":{"policy/checkout":7}}'),
    }),
  },
);

/** A schedule in which an object is set back. */
const goesBack: Happening[] = [
  { step: "pass", hours: 5 },
  { step: "noiseWatched" },
  { step: "pass", hours: 1 },
];

/** A schedule in which an object is changed at its last step, and set back. */
const isChanged: Happening[] = [
  { step: "promote", at: 0 },
  { step: "pass", hours: 3 },
  { step: "value", at: 0 },
  { step: "noiseWatched" },
  { step: "pass", hours: 1 },
];

/** A schedule in which somebody changes a watched object, and hours pass before that can be read. */
const changesUnread: Happening[] = [
  { step: "pass", hours: 8 },
  { step: "break", zone: "z0.example" },
  { step: "edit", at: 0 },
  { step: "pass", hours: 5 },
];

/** What is known of an object to one who sees everything but how the steps are kept. */
class Seen {
  readonly zone: string;
  readonly key: ResourceKey;
  promotion: Promotion;
  /** The value of a policy, or the expression of a rule. */
  value: string;
  /** The step that it may be live at. */
  granted: StepValue;
  live: StepValue | undefined;
  /** Since when it is live at that step and declared as it is; and how long a process ran since. */
  enteredAt: number | undefined;
  ranMs = 0;
  isWatched = false;
  isStopped = false;
  /** After how many reports it was not known at which step it is; `undefined`: it is known. */
  unknownFrom: number | undefined;
  /** Whether there was too much since it is live, and whether that could be read. */
  wasNoisy = false;
  wasNoiseRead = false;

  constructor(zone: string, key: ResourceKey, promotion: Promotion) {
    this.zone = zone;
    this.key = key;
    this.promotion = promotion;
    this.value = valuesOf(key)[0];
    this.granted = promotion.steps[0];
  }

  /** The next run that reads the zone takes the step for known at which it finds it live. */
  beUnknown(reports: number, now: number): void {
    const { live, promotion } = this;
    const isStep = live !== undefined && promotion.steps.includes(live);
    this.granted = isStep ? live : promotion.steps[0];
    this.isWatched = false;
    this.unknownFrom = reports;
    this.enter(isStep ? now : undefined);
  }

  enter(now: number | undefined): void {
    this.enteredAt = now;
    this.ranMs = 0;
    this.wasNoisy = false;
    this.wasNoiseRead = false;
  }
}

/** The values that an object has in turns. */
function valuesOf(key: ResourceKey): readonly [string, string] {
  if (key.startsWith("policy/")) return ["script-src 'self'", "script-src 'none'"];
  return ['http.request.uri.path eq "/bots"', 'http.request.uri.path in {"/bots" "/others"}'];
}

/** What a live object has of the values of {@link valuesOf}. */
function liveValue({ policies = [], entrypoints }: LiveZone, key: string): string | undefined {
  const name = key.split("/").at(-1) ?? "";
  if (!key.startsWith("policy/")) return rulesIn(entrypoints.custom_rules)[0]?.expression;
  return policies.find(({ expression }) => expression.includes(`"${name}.example"`))?.value;
}

/** Whether an object is as declared, or stopped before that. */
function isAtEnd({ live, promotion, isStopped }: Seen): boolean {
  return isStopped || live === promotion.steps.at(-1);
}

/** Changes how an object is declared; gives whether it is. */
function changeDeclaration(step: "value" | "conditions" | "ladder", object: Seen): boolean {
  const { promotion, value, key } = object;
  if (step === "conditions") {
    const watchMs = promotion.watchMs === 2 * hour ? hour : 2 * hour;
    object.promotion = { ...promotion, watchMs };
    return true;
  }
  if (step === "value") {
    const [first, second] = valuesOf(key);
    object.value = value === first ? second : first;
  } else if (key.startsWith("custom_rule/")) {
    const steps = promotion.steps.length === 3 ? (["log", "block"] as const) : ofRule.steps;
    object.promotion = { ...promotion, steps };
  } else return false;
  return true;
}

class Watched {
  world: StepsWorld;
  readonly objects: readonly Seen[] = Object.entries(declared).flatMap(([zone, promotions]) =>
    Object.entries(promotions).map(([key, each]) => {
      const name = key.startsWith("policy/") ? "policy" : "custom_rule";
      return new Seen(zone, `${name}/${key.split("/").at(-1) ?? ""}`, each);
    }),
  );
  readonly violations: string[] = [];
  /** How often each thing happened: a law about nothing would hold. */
  readonly happened = new Map<string, number>();
  readonly #paused = new Set<string>();
  /** How many hours were measured before the last five minutes. */
  #measured = 0;
  #revisions = 1;

  constructor(world: StepsWorld) {
    this.world = world;
    for (const object of this.objects) this.#look(object);
  }

  async take(each: Happening): Promise<void> {
    if (each.step === "pass") {
      await this.#pass(each.hours);
      return;
    }
    if ("at" in each) await this.#takeObject(each.step, this.objects[each.at]);
    else if ("zone" in each) this.#takeZone(each.step, each.zone);
    else await this.#takeAll(each);
    await this.#fiveMinutes();
  }

  async #takeAll(
    each: Exclude<
      Happening,
      { readonly step: "pass" } | { readonly at: number } | { readonly zone: string }
    >,
  ): Promise<void> {
    const { world } = this;
    const { traffic } = world;
    switch (each.step) {
      case "quiet":
        traffic.noisy.clear();
        traffic.idle.clear();
        break;
      case "noiseWatched":
        this.#noiseWatched();
        break;
      case "mend":
        world.faults.clear();
        break;
      case "measure":
        traffic.measuring = each.measuring;
        break;
      case "jump":
        world.clock.step(each.hours * hour);
        break;
      case "restart":
        await this.#restart(each.hours, each.lose);
    }
  }

  #takeZone(step: Extract<Happening, { readonly zone: string }>["step"], zone: string): void {
    const { traffic, faults } = this.world;
    if (step === "idle") traffic.idle.add(zone);
    else if (step === "break") faults.set(zone, () => new ServiceFault("API_UNREACHABLE", true));
    else this.#order(step, zone);
  }

  #noiseWatched(): void {
    for (const { zone, key, isWatched } of this.objects) {
      if (isWatched) this.world.traffic.noisy.add(`${zone} ${key}`);
    }
  }

  #order(order: "abort" | "pause" | "resume", zone: string): void {
    const { steps } = this.world;
    if (order === "abort") steps.abort(named(zone), "ada");
    else steps.pause(named(zone), order === "pause" ? "ada" : undefined);
    if (order === "pause") this.#paused.add(zone);
    if (order === "resume") this.#paused.delete(zone);
    this.#takeEvents();
  }

  async #takeObject(
    step: Extract<Happening, { readonly at: number }>["step"],
    object: Seen | undefined,
  ): Promise<void> {
    if (object === undefined) return;
    const { zone, key } = object;
    const { world } = this;
    if (step === "noise") world.traffic.noisy.add(`${zone} ${key}`);
    else if (step === "edit") await this.#edit(object);
    else if (step === "promote" || step === "promoteOne") {
      const chosen = step === "promoteOne" ? key : undefined;
      await world.steps.promote(named(zone), "ada", chosen);
      this.#takeEvents();
    } else this.#declare(step, object);
  }

  /** Somebody changes what is live, and the audit log tells it. */
  async #edit(object: Seen): Promise<void> {
    const { world } = this;
    const name = object.key.split("/").at(-1) ?? "";
    if (!object.key.startsWith("policy/")) return;
    const action = object.live === "log" ? "allow" : "log";
    world.edit(object.zone, ({ policies }) => ({
      policies: policies.map((policy) =>
        policy.expression.includes(`"${name}.example"`) ? { ...policy, action } : policy,
      ),
    }));
    object.live = world.liveAt(object.zone, object.key);
    if (this.#isUnknown(object)) this.#beUnknown(object, world.reports.length);
    // Where the zone cannot be read, nobody knows of it: what was counted before that still counts.
    else if (!world.faults.has(object.zone)) object.enter(undefined);
    world.reconciler.wakeZone(named(object.zone));
    await world.clock.advance(1);
  }

  #declare(step: "value" | "conditions" | "ladder", object: Seen): void {
    if (!changeDeclaration(step, object)) return;
    object.isStopped = false;
    if (this.#isUnknown(object) || !object.promotion.steps.includes(object.granted)) {
      this.#beUnknown(object, this.world.reports.length);
    }
    if (step !== "conditions") {
      object.enter(object.live === object.granted ? this.#now : undefined);
      const isFirst = object.granted === object.promotion.steps[0];
      if (!this.#isUnknown(object)) object.isWatched = !isFirst;
      if (object.isWatched) this.#count("watched again");
    }
    const own = this.objects.filter(({ zone }) => zone === object.zone);
    const promotions = Object.fromEntries(own.map((each) => [each.key, each.promotion]));
    const values = Object.fromEntries(own.map(({ key, value }) => [key, value]));
    this.world.files.set(object.zone, steppedContent(promotions, values));
    this.world.revision = `r${(this.#revisions += 1)}`;
    this.world.reconciler.filesChanged();
  }

  /** Its step is not known. Where the next run has to change it there, it is watched. */
  #beUnknown(object: Seen, reports: number): void {
    object.beUnknown(reports, this.#now);
    const { zone, key, granted, promotion, value } = object;
    const live = this.world.live.get(zone);
    const isLive = live !== undefined && liveValue(live, key) === value;
    object.isWatched = granted !== promotion.steps[0] && !isLive;
  }

  /** Whether no run has told yet at which step it is. */
  #isUnknown({ zone, unknownFrom }: Seen): boolean {
    if (unknownFrom === undefined) return false;
    const reports = this.world.reports.slice(unknownFrom);
    return !reports.some((report) => report.zone === zone && "plan" in report);
  }

  async #restart(hours: number, lose: boolean | string): Promise<void> {
    for (const object of this.objects) object.unknownFrom = this.#isUnknown(object) ? 0 : undefined;
    this.world = await this.world.restart({ afterMs: hours * hour, lose });
    if (lose === false) return;
    this.#paused.clear();
    for (const object of this.objects) {
      object.isStopped = false;
      this.#beUnknown(object, 0);
    }
  }

  get #now(): number {
    return this.world.traffic.now;
  }

  async #pass(hours: number): Promise<void> {
    for (let passed = 0; passed < hours; passed += 1) {
      this.world.reconciler.requestSweep("schedule");
      for (let nth = 0; nth < 12; nth += 1) await this.#fiveMinutes();
    }
  }

  /** Everything is mended, and all objects come to what is declared. */
  async finish(): Promise<void> {
    for (const step of ["quiet", "mend"] as const) await this.take({ step });
    await this.take({ step: "measure", measuring: "on" });
    for (const zone of names) await this.take({ step: "resume", zone });
    for (let passed = 0; passed < 32; passed += 1) {
      const isEnd = this.objects.every((each) => isAtEnd(each) && !each.isWatched);
      await this.#pass(1);
      if (isEnd) break;
    }
    for (const object of this.objects) {
      const { zone, key, live, promotion } = object;
      if (!isAtEnd(object)) this.violations.push(`${zone} ${key} never came on from ${live}`);
      if (object.isWatched) this.violations.push(`${zone} ${key} is watched without end, or not`);
      if (live === undefined || !promotion.steps.includes(live)) {
        this.violations.push(`${zone} ${key} ended at ${live}`);
      }
    }
  }

  /** Lets five minutes pass, and looks at what became of the objects. */
  async #fiveMinutes(): Promise<void> {
    const { traffic } = this.world;
    this.#measured = traffic.measured.length;
    const noteRead = (object: Seen): void => {
      object.wasNoiseRead ||= object.wasNoisy && traffic.measuring === "on";
    };
    // What needs no time has happened already.
    this.#takeEvents();
    for (const object of this.objects) {
      this.#look(object);
      noteRead(object);
    }
    await this.world.pass(fiveMinutes);
    this.#takeEvents();
    for (const object of this.objects) {
      this.#look(object);
      const isNoisy = traffic.noisy.has(`${object.zone} ${object.key}`);
      object.wasNoisy ||= isNoisy && !traffic.idle.has(object.zone);
      noteRead(object);
      const isAtStep = object.enteredAt !== undefined && object.live === object.granted;
      if (isAtStep) object.ranMs += fiveMinutes;
    }
    for (const { objects } of this.world.steps.views) {
      const watched = objects.filter(({ isWatched }) => isWatched);
      if (watched.length > 1) this.violations.push(`${watched.length} objects are in one watch`);
    }
  }

  #look(object: Seen): void {
    const { zone, key, granted } = object;
    const live = this.world.liveAt(zone, key);
    if (live === object.live && (object.enteredAt !== undefined || live !== granted)) return;
    if (live !== object.live && live !== granted) {
      this.violations.push(`${zone} ${key} went from ${object.live} to ${live}, not ${granted}`);
    }
    object.live = live;
    object.enter(live === granted ? this.#now : undefined);
  }

  #takeEvents(): void {
    for (const event of this.world.events.splice(0)) {
      const object = this.objects.find(({ zone, key }) => zone === event.zone && key === event.key);
      if (object === undefined) throw new Error(`there is no ${event.key}`);
      const isByPerson = event.cause !== undefined && "by" in event.cause;
      const what = `${event.event}${isByPerson ? " by a person" : ""}`;
      this.#count(what);
      const why = isByPerson ? this.#ordered(object, event) : this.#allowed(object, event);
      const about = `${event.zone} ${event.key} ${event.event}`;
      if (why !== undefined) this.violations.push(`${about}: ${why}`);
      object.granted = event.to;
      if (event.event === "promoted") object.isStopped = false;
      else if (event.event !== "watched") object.isStopped = true;
      object.isWatched = event.event === "promoted";
      if (event.to !== event.from) object.enter(undefined);
    }
  }

  #count(what: string): void {
    this.happened.set(what, (this.happened.get(what) ?? 0) + 1);
  }

  /** What is wrong in the result of an order. */
  #ordered(object: Seen, { event }: StepEvent): string | undefined {
    if (event === "promoted" && this.#isOtherWatched(object)) return "another object is watched";
    return undefined;
  }

  /** What is wrong in a decision; `undefined`: nothing. */
  #allowed(object: Seen, { event, from, to }: StepEvent): string | undefined {
    const { steps } = object.promotion;
    if (from !== object.granted) return `it was at ${object.granted}, not ${from}`;
    if (event === "promoted") {
      if (steps.indexOf(to) !== steps.indexOf(from) + 1) return `${to} does not follow ${from}`;
      return this.#isTooEarly(object);
    }
    if (!object.isWatched) return "it was not watched";
    if (event === "watched") return this.#isWatchTooShort(object);
    if (steps.indexOf(to) !== steps.indexOf(from) - 1) return `${to} is not before ${from}`;
    return object.wasNoiseRead ? undefined : "nobody knew that it was too much";
  }

  #isOtherWatched(object: Seen): boolean {
    return this.objects.some(
      (other) => other !== object && other.zone === object.zone && other.isWatched,
    );
  }

  #isTooEarly(object: Seen): string | undefined {
    const { promotion, zone, key } = object;
    if (this.#paused.has(zone)) return "the zone is paused";
    if (object.isStopped) return "it was stopped";
    if (this.#isOtherWatched(object)) return "another object is watched";
    if (promotion.when === "time_only") {
      return object.ranMs < promotion.afterMs - fiveMinutes
        ? `after ${object.ranMs} ms`
        : undefined;
    }
    const hours = this.#hoursOf(object).slice(-promotion.afterMs / hour);
    if (hours.length < promotion.afterMs / hour) return `after ${hours.length} measured hours`;
    const counts = hours.map((at) => this.world.traffic.counted(zone, key, at));
    const count = counts.reduce((sum, each) => sum + each.count, 0);
    const requests = counts.reduce((sum, each) => sum + each.requests, 0);
    const { ratePer10k = Infinity, requestsAtLeast } = promotion.when;
    const isKept = requests >= requestsAtLeast && count * 10_000 <= ratePer10k * requests;
    return isKept ? undefined : `after ${count} in ${requests}`;
  }

  #isWatchTooShort(object: Seen): string | undefined {
    const { watchMs, rollback } = object.promotion;
    if (rollback === undefined) {
      return object.ranMs < watchMs - fiveMinutes ? `after ${object.ranMs} ms` : undefined;
    }
    const hours = this.#hoursOf(object);
    return hours.length < watchMs / hour ? `after ${hours.length} measured hours` : undefined;
  }

  /** The measured hours in which it was live at its step all the time. */
  #hoursOf({ zone, key, granted, enteredAt = Infinity }: Seen): readonly number[] {
    const { traffic } = this.world;
    const measured = traffic.measured.slice(0, this.#measured);
    return measured
      .filter((at) => at * hour >= enteredAt && traffic.wasAt(zone, key, at, granted))
      .toSorted((a, b) => a - b);
  }
}

async function watchedOf(happenings: readonly Happening[]): Promise<Watched> {
  const contents = Object.entries(declared).map(
    ([zone, promotions]) => [zone, steppedContent(promotions)] as const,
  );
  const watched = new Watched(await steppingWorld(Object.fromEntries(contents)));
  try {
    for (const each of happenings) await watched.take(each);
    await watched.finish();
  } finally {
    await watched.world[Symbol.asyncDispose]();
  }
  return watched;
}

describe("steps", () => {
  it("are taken with their hours and measurements alone, whatever happens", async ({ expect }) => {
    const happened = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyHappening, { minLength: 6, maxLength: 24 }),
        async (happenings) => {
          const watched = await watchedOf(happenings);
          expect(watched.violations).toEqual([]);
          for (const [what, times] of watched.happened) {
            happened.set(what, (happened.get(what) ?? 0) + times);
          }
        },
      ),
      { ...cases(50), examples: [[goesBack], [isChanged], [changesUnread]] },
    );
    for (const what of ["promoted", "watched", "watched again", "set_back"]) {
      expect(happened.get(what), what).toBeGreaterThan(0);
    }
  });
});
