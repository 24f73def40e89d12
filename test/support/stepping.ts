import {
  type CountRow,
  dayRecordText,
  emptyDay,
  type MeasuredObject,
  withRead,
} from "../../src/measure/day-record.ts";
import { firstHourOf, hoursOfDay } from "../../src/measure/hours.ts";
import { datasetOf, datasets, type HourCount } from "../../src/measure/measurement.ts";
import type { RecentCounts } from "../../src/measure/recent-counts.ts";
import { zoneKeys } from "../../src/memory/state-keys.ts";
import { policyForm } from "../../src/plan/policies/policy-form.ts";
import type { ZoneSteps } from "../../src/reconcile/steps/step-state.ts";
import type { Steps, StepsPorts, StepStore } from "../../src/reconcile/steps/steps.ts";
import type { StepEvent } from "../../src/state/step-wait.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import { type LiveZone, rulesIn } from "../../src/zone/live-zone.ts";
import { promotedObjects } from "../../src/zone/promoted-objects.ts";
import type { Promotion, StepValue } from "../../src/zone/promotion.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import type { ZoneName } from "../../src/zone/zone.ts";
import type { SimulatedClock } from "./clock.ts";
import { block, declared, desiredZone, policy, promotion } from "./model.ts";
import { named } from "./reports.ts";
import { MemoryRunStore } from "./run-store.ts";
import { defaultOptions, oneCredential, World } from "./world.ts";

export const minute = 60_000;
export const hour = 60 * minute;
export const fiveMinutes = 5 * minute;

/** Three hours until the next step, two hours of watch. */
export const shortly: Promotion = promotion({
  steps: ["log", "allow"],
  afterMs: 3 * hour,
  when: { ratePer10k: 4, unknownScripts: undefined, requestsAtLeast: 1_000 },
  watchMs: 2 * hour,
  rollback: { ratePer10k: 8, requestsAtLeast: 1_000 },
});

export const ofRule: Promotion = { ...shortly, steps: ["log", "managed_challenge", "block"] };

/**
 * A zone with policies and rules on their way, by their keys.
 *
 * @param more values of policies, and expressions of rules.
 */
export function steppedContent(
  promotions: Readonly<Record<string, Promotion>>,
  more: Readonly<Record<string, string>> = {},
): ZoneContent {
  const keys = Object.entries(promotions);
  const valueOf = (key: string): string => more[key] ?? "script-src 'self'";
  return desiredZone({
    policies: declared(
      keys
        .filter(([key]) => key.startsWith("policy/"))
        .map(([key, each]) => {
          const name = key.slice("policy/".length);
          const expression = `http.host eq "${name}.example"`;
          const value = valueOf(key);
          return policy(name, { action: "allow", expression, value, promotion: each });
        }),
    ),
    rules: {
      custom_rules: declared(
        keys
          .filter(([key]) => key.startsWith("custom_rule/"))
          .map(([key, each]) => {
            const { [key]: expression } = more;
            const name = key.slice("custom_rule/".length);
            return block(name, { promotion: each, ...(expression && { expression }) });
          }),
      ),
    },
  }).content;
}

/** The value of the promoted field of an object that is live; `undefined`: it is not. */
export function liveStep(
  { policies = [], entrypoints }: LiveZone,
  key: string,
): StepValue | undefined {
  const name = key.split("/").at(-1) ?? "";
  if (key.startsWith("policy/")) {
    return policies.find(({ expression }) => expression.includes(`"${name}.example"`))?.action;
  }
  const rule = rulesIn(entrypoints.custom_rules).find(({ expression }) =>
    expression.includes(`"/${name}"`),
  );
  return rule !== undefined && "name" in rule.action ? rule.action.name : undefined;
}

function liveForm({ policies = [] }: LiveZone, key: string): string {
  const name = key.slice("policy/".length);
  const found = policies.find(({ expression }) => expression.includes(`"${name}.example"`));
  return found === undefined ? "" : policyForm(found);
}

/** What happened in five minutes in a zone. */
interface Bucket {
  readonly requests: number;
  /** Of objects that were live at one step the whole time. */
  readonly steps: ReadonlyMap<ResourceKey, StepValue>;
  readonly counts: ReadonlyMap<ResourceKey, number>;
  readonly forms: ReadonlyMap<ResourceKey, string>;
}

/** Whether counts can be read. `late`: nobody asks. */
export type Measuring = "on" | "late" | "failed" | "denied";

/** Requests of a zone in five minutes. */
const usualRequests = 1_000;

/**
 * What the service counts, and what a collector has stored of it, whichever process runs. Its time is no business of the
 * clock on the wall.
 */
export class Traffic {
  /** The time of the service, in milliseconds since the epoch. */
  now: number = Date.parse("2026-11-20T12:00:00Z");
  measuring: Measuring = "on";
  /** Objects that count too much, as `z0.example policy/checkout`. */
  readonly noisy = new Set<string>();
  /** Zones without requests. */
  readonly idle = new Set<string>();
  readonly #keys: ReadonlyMap<string, readonly ResourceKey[]>;
  readonly #start = this.now;
  readonly #buckets = new Map<string, Bucket[]>();
  /** The last five minutes of zones in which nothing changed: the next ones are often the same. */
  readonly #quiet = new Map<
    string,
    { readonly live: LiveZone; readonly what: string; readonly bucket: Bucket } | undefined
  >();
  /** Hours that a collector has read. */
  readonly #read = new Map<number, "measured" | "failed" | "denied">();
  /** Those of them that were measured, as hours since the epoch in the order in which they were read. */
  readonly measured: number[] = [];
  readonly #records = new Map<string, string>();

  /** @param keys of the objects of each zone. */
  constructor(keys: ReadonlyMap<string, readonly ResourceKey[]>) {
    this.#keys = keys;
  }

  /** Five minutes have passed, and zones were live as they are before and after them. */
  pass(before: ReadonlyMap<string, LiveZone>, after: ReadonlyMap<string, LiveZone>): void {
    this.now += fiveMinutes;
    for (const [zone, keys] of this.#keys) {
      const [was, is] = [before.get(zone), after.get(zone)];
      if (was === undefined || is === undefined) continue;
      const buckets = this.#buckets.get(zone) ?? [];
      const what = [this.idle.has(zone), ...keys.map((key) => this.#isNoisy(zone, key))].join(" ");
      const last = this.#quiet.get(zone);
      if (was === is && last?.live === is && last.what === what) {
        buckets.push(last.bucket);
        continue;
      }
      const requests = this.idle.has(zone) ? 0 : usualRequests;
      const steps = new Map(
        keys.flatMap((key) => {
          const step = liveStep(was, key);
          return step !== undefined && step === liveStep(is, key) ? [[key, step] as const] : [];
        }),
      );
      const live = [...steps.keys()];
      const countOf = (key: ResourceKey): number => (this.#isNoisy(zone, key) ? requests / 100 : 0);
      const formOf = (key: ResourceKey): string =>
        liveForm(was, key) === liveForm(is, key) ? liveForm(is, key) : "";
      const bucket = {
        requests,
        steps,
        counts: new Map(live.map((key) => [key, countOf(key)])),
        forms: new Map(live.map((key) => [key, formOf(key)])),
      };
      buckets.push(bucket);
      this.#buckets.set(zone, buckets);
      this.#quiet.set(zone, was === is ? { live: is, what, bucket } : undefined);
    }
  }

  #isNoisy(zone: string, key: ResourceKey): boolean {
    return this.noisy.has(`${zone} ${key}`);
  }

  /** Reads the hours of a day that are complete, as far as they can be read. */
  collect(): void {
    const end = Math.floor((this.now - 15 * minute) / hour);
    for (let at = Math.max(end - hoursOfDay, this.#start / hour); at < end; at += 1) {
      if (this.#read.get(at) === "measured" || this.measuring === "late") continue;
      const state = this.measuring === "on" ? "measured" : this.measuring;
      this.#read.set(at, state);
      if (state === "measured") this.measured.push(at);
    }
  }

  /** The first hour that is not complete. */
  get openHour(): number {
    return Math.floor((this.now - 15 * minute) / hour);
  }

  /** Whether an object was live at a step for the whole of an hour. */
  wasAt(zone: string, key: ResourceKey, at: number, step: StepValue): boolean {
    return this.#bucketsOf(zone, at).every(({ steps }) => steps.get(key) === step);
  }

  #bucketsOf(zone: string, at: number): readonly Bucket[] {
    const first = (at * hour - this.#start) / fiveMinutes;
    return (this.#buckets.get(zone) ?? []).slice(Math.max(0, first), Math.max(0, first + 12));
  }

  /** What was counted of an object in an hour of the service, whether it was read or not. */
  counted(
    zone: string,
    key: ResourceKey,
    at: number,
  ): { readonly count: number; readonly requests: number } {
    const buckets = this.#bucketsOf(zone, at);
    return {
      count: sum(buckets.map(({ counts }) => counts.get(key) ?? 0)),
      requests: sum(buckets.map(({ requests }) => requests)),
    };
  }

  /** The text of the record of a day. What was measured stays, so a day that was measured whole has the same one for good. */
  record(zone: string, day: string): string | undefined {
    const keys = this.#keys.get(zone);
    if (keys === undefined) return undefined;
    const firstHour = firstHourOf(day);
    const known = this.#records.get(`${zone} ${day}`);
    if (known !== undefined) return known;
    const text = this.#record(zone, day, firstHour, keys);
    const hours = Array.from({ length: hoursOfDay }, (_, nth) => firstHour + nth);
    const isWhole = hours.every((at) => this.#read.get(at) === "measured");
    if (isWhole) this.#records.set(`${zone} ${day}`, text);
    return text;
  }

  #record(zone: string, day: string, firstHour: number, keys: readonly ResourceKey[]): string {
    let record = emptyDay(zone, day);
    for (let nth = 0; nth < hoursOfDay; nth += 1) {
      const at = firstHour + nth;
      const state = this.#read.get(at);
      if (state === undefined) continue;
      const objects = keys.map((key) => this.#objectIn(zone, key, at));
      for (const dataset of datasets) {
        const own = keys.filter((key) => datasetOf(key) === dataset);
        const rows: readonly CountRow[] =
          dataset === "requests"
            ? [rowOf(at, [], sum(this.#bucketsOf(zone, at).map(({ requests }) => requests)))]
            : own.map((key) => rowOf(at, [key], this.counted(zone, key, at).count));
        const read =
          state === "measured"
            ? ({ result: "measured", rows: rows.filter(({ count }) => count > 0) } as const)
            : state === "denied"
              ? ({ result: "refused", reason: "denied" } as const)
              : ({ result: "failed", why: "of the world" } as const);
        record = withRead(record, dataset, [nth], read, objects);
      }
    }
    return dayRecordText(record);
  }

  #objectIn(zone: string, key: ResourceKey, at: number): MeasuredObject {
    const buckets = this.#bucketsOf(zone, at);
    const forms = new Set(buckets.map((bucket) => bucket.forms.get(key) ?? ""));
    const [form = ""] = forms;
    const isLive = buckets.length > 0 && buckets.every(({ counts }) => counts.has(key));
    const known = isLive ? { since: at, until: at } : { since: Infinity, until: -Infinity };
    return { key, ids: [key], ...known, ...(forms.size === 1 && { form, formSince: at }) };
  }

  /** The counts of the last hour. */
  recent(zone: string, keys: readonly ResourceKey[]): RecentCounts {
    const end = Math.floor((this.now - 3 * minute) / fiveMinutes);
    const since = (end - 12) * fiveMinutes;
    const first = (since - this.#start) / fiveMinutes;
    const buckets = Array.from({ length: 12 }, (_, nth) => this.#buckets.get(zone)?.[first + nth]);
    const counts = (of: (bucket: Bucket) => number | undefined): readonly HourCount[] =>
      buckets.map((bucket): HourCount => {
        if (this.measuring === "denied") return { state: "refused", reason: "denied" };
        if (this.measuring !== "on" || bucket === undefined) return { state: "failed" };
        const count = of(bucket);
        return count === undefined
          ? { state: "undeclared" }
          : { state: "measured", count, actions: {}, sampleInterval: 1 };
      });
    return {
      since: new Date(since),
      requests: counts(({ requests }) => requests),
      objects: new Map(keys.map((key) => [key, counts((bucket) => bucket.counts.get(key))])),
    };
  }
}

function rowOf(nth: number, ids: readonly string[], count: number): CountRow {
  return { nth, ids, action: "any", count, sampleInterval: 1 };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

/** Keeps steps as a store does: what is not flushed is lost with a process that is killed. */
export class MemorySteps implements StepStore {
  isWritable = true;
  #flushed = new Map<string, string | undefined>();
  #texts = new Map<string, string | undefined>();

  steps(zone: ZoneName): ZoneSteps {
    return zoneKeys.steps.decode(this.#texts.get(zone));
  }

  setSteps(zone: ZoneName, steps: ZoneSteps): void {
    this.#texts.set(zone, zoneKeys.steps.encode(steps));
  }

  flush(): Promise<boolean> {
    if (this.isWritable) this.#flushed = new Map(this.#texts);
    return Promise.resolve(this.isWritable);
  }

  /** The process ends. */
  kill(): void {
    this.#texts = new Map(this.#flushed);
  }

  /** Somebody removes what is stored, or writes something else in its place. */
  lose(text?: string): void {
    for (const zone of this.#texts.keys()) this.#texts.set(zone, text);
    this.#flushed = new Map(this.#texts);
  }
}

/** A process with zones whose objects are on their way. */
export class StepsWorld extends World {
  readonly traffic: Traffic;
  readonly stepStore: MemorySteps;
  readonly runStore: MemoryRunStore;
  readonly events: StepEvent[] = [];
  /** How many scripts the next step of a policy would block. */
  blocked: number | "unread" | Promise<number> = 0;
  #isTimeKnown = false;
  #lastHour: { readonly at: Date } | undefined;
  #ranMs = 0;

  constructor(
    zones: readonly string[],
    traffic: Traffic,
    stepStore = new MemorySteps(),
    runStore = new MemoryRunStore(),
    options: Partial<typeof defaultOptions> = {},
  ) {
    const fleetLimits = { ...defaultOptions.fleetLimits, maxFleetShare: 1 };
    // A zone of three objects would be held where two of them change at once.
    const limits = { ...defaultOptions.limits, maxUpdateShare: 1 };
    const ports = (clock: SimulatedClock): StepsPorts => ({
      clock,
      store: stepStore,
      serviceNow: () => (this.#isTimeKnown ? this.serviceNow : undefined),
      isMeasuring: () => true,
      lastHour: () => this.#lastHour,
      measurements: {
        readAll: async function* (day) {
          for (const zone of zones) yield [named(zone), traffic.record(zone, day) ?? ""] as const;
        },
      },
      readRecent: (asked) => {
        if (traffic.measuring === "on") this.#isTimeKnown = true;
        const found = asked.map(({ zone, keys }) => [zone, traffic.recent(zone, keys)] as const);
        return Promise.resolve(new Map(traffic.measuring === "late" ? [] : found));
      },
      blockedScripts: () => Promise.resolve(this.blocked),
      happened: (event) => this.events.push(event),
      bug: (error, zone) => this.bugs.tell(error, zone),
    });
    super(zones, { fleetLimits, limits, ...options }, oneCredential, runStore, undefined, ports);
    this.traffic = traffic;
    this.stepStore = stepStore;
    this.runStore = runStore;
  }

  /** The time of the service at this moment. */
  get serviceNow(): number {
    return this.traffic.now + (this.clock.monotonicMs() - this.#ranMs);
  }

  get steps(): Steps {
    if (this.reconciler.steps === undefined) throw new Error("there are no steps");
    return this.reconciler.steps;
  }

  /** The service has answered: it is known what time it is for it. */
  tellTime(): void {
    this.#isTimeKnown = true;
  }

  /** Lets five minutes pass, and more of them. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += fiveMinutes) {
      const before = new Map(this.live);
      await this.clock.advance(fiveMinutes);
      this.#ranMs += fiveMinutes;
      this.traffic.pass(before, this.live);
      // The store writes by itself soon.
      await this.stepStore.flush();
      if (this.traffic.measuring === "late") continue;
      const openHour = this.traffic.openHour - 1;
      if (Number(this.#lastHour?.at) / hour >= openHour) continue;
      this.traffic.collect();
      this.#isTimeKnown ||= this.traffic.measuring === "on";
      this.#lastHour = { at: new Date(openHour * hour) };
    }
  }

  /** Ends this process, and begins the next one after some time in which none runs. */
  async restart({
    afterMs = 0,
    lose = false,
  }: { readonly afterMs?: number; readonly lose?: boolean | string } = {}): Promise<StepsWorld> {
    await this[Symbol.asyncDispose]();
    this.stepStore.kill();
    if (lose !== false) this.stepStore.lose(lose === true ? undefined : lose);
    for (let passed = 0; passed < afterMs; passed += fiveMinutes) {
      this.traffic.pass(this.live, this.live);
    }
    const { traffic, stepStore, runStore, options } = this;
    const next = new StepsWorld([...this.live.keys()], traffic, stepStore, runStore, options);
    next.takeOver(this, this.loads.at(-1)?.rollout.stored);
    next.clock.step(this.traffic.now - Number(next.clock.now()));
    await next.begin();
    return next;
  }

  /** The step at which an object is live. */
  liveAt(zone: string, key: ResourceKey): StepValue | undefined {
    const live = this.live.get(zone);
    return live && liveStep(live, key);
  }

  /** What became of objects since the last call, as `checkout promoted allow`. */
  takeEvents(): readonly string[] {
    return this.events
      .splice(0)
      .map(({ key, event, to }) => `${key.split("/").at(-1)} ${event} ${to}`);
  }
}

/** Zones that are as declared, each object at its first step. */
export async function steppingWorld(
  files: Readonly<Record<string, ZoneContent>>,
  options: Partial<typeof defaultOptions> = {},
): Promise<StepsWorld> {
  const keys = Object.entries(files).map(
    ([zone, content]) => [zone, [...promotedObjects(content).keys()]] as const,
  );
  const world = new StepsWorld(
    Object.keys(files),
    new Traffic(new Map(keys)),
    new MemorySteps(),
    new MemoryRunStore(),
    options,
  );
  for (const [zone, content] of Object.entries(files)) {
    world.files.set(zone, content);
    world.edit(zone, () => ({ entrypoints: { custom_rules: { state: "absent" } } }));
  }
  world.remember();
  world.storedRollout = { revision: "r1", waiting: new Map(), gone: new Map() };
  await world.begin();
  return world;
}
