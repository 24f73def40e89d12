import { outsidePolicies } from "../impact/outside-policies.ts";
import type { ZoneImpact } from "../impact/zone-impact.ts";
import { planHash } from "../plan/guard/release.ts";
import { plan, type Plan } from "../plan/plan.ts";
import { failureOf } from "../state/failure.ts";
import {
  inventoryFacts,
  type InventoryFacts,
  type InventoryReading,
  type InventoryReport,
} from "../state/inventory.ts";
import type { Failure } from "../state/run-report.ts";
import type { DesiredZone } from "../zone/desired-zone.ts";
import {
  isInUse,
  isSeenResource,
  type Item,
  type ItemKind,
  type SeenResource,
} from "../zone/inventory-item.ts";
import type { Clock, LiveReader } from "../zone/ports.ts";
import { ServiceError } from "../zone/service-error.ts";
import type { Zone, ZoneName } from "../zone/zone.ts";
import { type QueueEntry, ZoneQueue } from "./queue/zone-queue.ts";
import { BackOff } from "./run/back-off.ts";
import { partsOf } from "./run/plan-zone.ts";
import { readZoneImpact, type ImpactSource, type JudgedPlan } from "./run/read-impact.ts";

/** How what was detected is looked at. */
export interface InventoryRoundsOptions {
  /** From one look at a zone to the next. */
  readonly everyMs: number;
  readonly kinds: readonly ItemKind[];
  readonly maliciousBelow: number;
  readonly owner: string;
}

/** What was detected, to look at: last in the queue for the budget. */
export interface InventorySource
  extends Pick<LiveReader, "readAnswers">, Pick<ImpactSource, "readManaged"> {
  listItems(zone: Zone, kind: ItemKind, signal: AbortSignal): Promise<readonly Item[]>;
}

/** What the rounds need from outside, and whom they tell. */
export interface InventoryRoundsPorts {
  readonly source: InventorySource;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** An impact in lines of text: the impact itself would take too much memory in large fleets. */
  readonly impactLines: (impact: ZoneImpact) => readonly string[];
  readonly report: (report: InventoryReport) => void;
  readonly bug: (error: unknown, zone: string) => void;
}

/** A zone's inventory changes within days: there is no hurry from one zone to the next. */
const longestRestMs = 10_000;
const restForEachZoneMs = 100;

/** The rest of the period is left to what is tried again. */
const shareOfThePeriod = 0.8;

/**
 * Goes round the declared zones and looks at what browsers reported there, one zone at a time: whatever else asks
 * for requests goes first. Remembers nothing but when to look again.
 */
export class InventoryRounds {
  #options: InventoryRoundsOptions | undefined;
  readonly #ports: InventoryRoundsPorts;
  readonly #queue: ZoneQueue;
  #zones: ReadonlyMap<ZoneName, DesiredZone> = new Map();
  readonly #failures: BackOff<ZoneName>;
  /** Hashes of the plans whose impact was judged, or is about to be. */
  readonly #judged = new Map<ZoneName, string>();

  /** @param options `undefined`: nobody wants to know. */
  constructor(options: InventoryRoundsOptions | undefined, ports: InventoryRoundsPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#queue = new ZoneQueue(ports.clock);
    this.#failures = new BackOff(ports.random);
  }

  /** Goes by other options from the next look on. */
  reconfigure(options: InventoryRoundsOptions | undefined): void {
    this.#options = options;
    if (options === undefined) return;
    for (const name of this.#zones.keys()) this.#queue.add(name, "sweep", "schedule", 0);
  }

  /** Says which zones are declared now. */
  declare(zones: Iterable<DesiredZone>): void {
    const before = this.#zones;
    this.#zones = new Map([...zones].map((desired) => [desired.zone.name, desired]));
    for (const name of before.keys()) if (!this.#zones.has(name)) this.#forget(name);
    if (this.#options === undefined) return;
    for (const name of this.#zones.keys()) {
      if (!before.has(name)) this.#queue.add(name, "sweep", "schedule", 0);
    }
  }

  /** A plan is held: people want to know soon what it would do. */
  judge(held: Plan): void {
    const { name } = held.zone;
    const hash = planHash(held);
    if (this.#options === undefined || !this.#zones.has(name)) return;
    if (this.#judged.get(name) === hash) return;
    this.#judged.set(name, hash);
    this.#queue.add(name, "changed", "schedule", 0);
  }

  /** Works until `stop` aborts. Never rejects for what the world does. */
  async runUntil(stop: AbortSignal): Promise<void> {
    const { clock, bug } = this.#ports;
    const run = async ({ zone }: QueueEntry): Promise<void> => {
      await this.#look(zone, stop);
      await clock.sleep(this.#restMs, stop);
    };
    await this.#queue.work(run, bug, stop);
  }

  /** A few zones are known soon; many are spread over their period, and leave the budget to those who are in a hurry. */
  get #restMs(): number {
    const { everyMs } = this.#options ?? { everyMs: 0 };
    const { size } = this.#zones;
    const inTime = (everyMs * shareOfThePeriod) / Math.max(1, size);
    return Math.min(size * restForEachZoneMs, longestRestMs, inTime);
  }

  #forget(name: ZoneName): void {
    this.#queue.remove(name);
    this.#failures.forget(name);
    this.#judged.delete(name);
  }

  async #look(name: ZoneName, stop: AbortSignal): Promise<void> {
    const desired = this.#zones.get(name);
    const options = this.#options;
    if (desired === undefined || options === undefined) return;
    const { report, retryMs } = await this.#read(desired, options, stop);
    // Meanwhile somebody may have taken the zone out of the files, or switched the rounds off.
    if (!this.#zones.has(name) || this.#options === undefined) return;
    this.#ports.report(report);
    this.#queue.add(name, "sweep", "schedule", retryMs);
  }

  async #read(
    desired: DesiredZone,
    options: InventoryRoundsOptions,
    stop: AbortSignal,
  ): Promise<{ readonly report: InventoryReport; readonly retryMs: number }> {
    const { clock, random, bug } = this.#ports;
    const { name } = desired.zone;
    try {
      const facts = await readFacts(desired, options, this.#ports, stop);
      this.#failures.forget(name);
      // Looks that began together at the start drift apart.
      const retryMs = Math.round(options.everyMs * (0.9 + random() / 10));
      return { report: { result: "read", zone: name, at: clock.now(), facts }, retryMs };
    } catch (error) {
      stop.throwIfAborted();
      if (!(error instanceof ServiceError)) bug(error, name);
      const failure = failureOf(error);
      const retryMs = this.#waitAfter(name, failure, options);
      return { report: { result: "error", zone: name, at: clock.now(), failure }, retryMs };
    }
  }

  /** What the token or the contract does not allow now it will not allow in a minute. */
  #waitAfter(name: ZoneName, failure: Failure, { everyMs }: InventoryRoundsOptions): number {
    return failure.transient ? this.#failures.add(name, failure.retryAfterMs) : everyMs;
  }
}

async function readFacts(
  desired: DesiredZone,
  { kinds, maliciousBelow, owner }: InventoryRoundsOptions,
  { source, clock, impactLines }: Pick<InventoryRoundsPorts, "source" | "clock" | "impactLines">,
  stop: AbortSignal,
): Promise<InventoryFacts> {
  const { zone, content } = desired;
  const wanted = { ...partsOf(content), policies: true };
  const live = (await source.readAnswers(zone, wanted, "inventory", stop)).live();
  const { items, notPermitted } = await readKinds(zone, kinds, source, stop);
  const all = [...items.values()].flat();
  const inUse = all.filter((item) => item.kind === "script").filter(isInUse);
  const outside = items.has("script") ? outsidePolicies(inUse, live.policies ?? []) : undefined;
  const planned = plan(desired, live, owner);
  const judged = { content, live, plan: planned };
  const impact =
    planned.changes.length === 0
      ? []
      : impactLines(
          await impactOf(judged, all.filter(isSeenResource), maliciousBelow, source, stop),
        );
  return inventoryFacts(
    zone.name,
    { items, notPermitted, outside, impact },
    { maliciousBelow, now: clock.now() },
  );
}

/** What may have passed soon has the zone looked at again then. */
async function impactOf(
  judged: JudgedPlan,
  resources: readonly SeenResource[],
  maliciousBelow: number,
  source: InventorySource,
  stop: AbortSignal,
): Promise<ZoneImpact> {
  const known: ImpactSource = {
    readResources: () => Promise.resolve(resources),
    readManaged: (...asked) => source.readManaged(...asked),
  };
  const { impact, passing } = await readZoneImpact(judged, maliciousBelow, known, stop);
  if (passing !== undefined) throw passing;
  return impact;
}

type Kinds = Pick<InventoryReading, "items" | "notPermitted">;

/** Contracts differ in which kinds they show (SERVICE.md A.1): one that is refused hides no other. */
async function readKinds(
  zone: Zone,
  kinds: readonly ItemKind[],
  source: InventorySource,
  stop: AbortSignal,
): Promise<Kinds> {
  const items = new Map<ItemKind, readonly Item[]>();
  const notPermitted = new Map<ItemKind, Failure>();
  for (const kind of kinds) {
    try {
      items.set(kind, await source.listItems(zone, kind, stop));
    } catch (error) {
      const isLastHope = items.size === 0 && notPermitted.size === kinds.length - 1;
      if (!(error instanceof ServiceError) || error.transient || isLastHope) throw error;
      notPermitted.set(kind, failureOf(error));
    }
  }
  return { items, notPermitted };
}
