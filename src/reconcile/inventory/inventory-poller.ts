import { isDeepStrictEqual } from "node:util";

import { outsidePolicies } from "../../impact/outside-policies.ts";
import type { ZoneImpact } from "../../impact/zone-impact.ts";
import { planHash } from "../../plan/guard/release.ts";
import { plan, type Plan } from "../../plan/plan.ts";
import {
  inventoryFacts,
  type InventoryFacts,
  type InventoryReading,
  type InventoryReport,
} from "../../state/inventory.ts";
import { type Failure, failureOf } from "../../state/run-report.ts";
import { checkScripts, lastScriptCheck } from "../../state/scripts/check-scripts.ts";
import type { ScriptCheck, ScriptWatch } from "../../state/scripts/script-watch.ts";
import type { ScriptReading } from "../../state/scripts/watched-scripts.ts";
import type { DesiredZone } from "../../zone/desired-zone.ts";
import { isInUse, isSeenResource, type Item, type ItemKind } from "../../zone/inventory-item.ts";
import type { Clock } from "../../zone/ports.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Zone, ZoneName } from "../../zone/zone.ts";
import { type QueueEntry, ZoneQueue } from "../queue/zone-queue.ts";
import { BackOff } from "../run/next-run.ts";
import { partsOf } from "../run/plan-zone.ts";
import { readZoneImpact, type ImpactSource } from "./read-impact.ts";
import { readScripts, type ScriptSource, uncheckedScripts } from "./read-scripts.ts";

export interface InventoryPollerOptions {
  /** From one read of a zone to the next. */
  readonly everyMs: number;
  readonly kinds: readonly ItemKind[];
  readonly maliciousBelow: number;
  readonly owner: string;
}

/** Reads inventories, at the lowest request priority. */
export interface InventorySource extends ScriptSource, Pick<ImpactSource, "readManaged"> {
  listItems(zone: Zone, kind: ItemKind, signal: AbortSignal): Promise<readonly Item[]>;
}

/** What is known of declared scripts from one round to the next. */
export interface ScriptMemory {
  /** The check before; `undefined` before the first. */
  earlier(zone: ZoneName): ScriptWatch | undefined;
  /** A check is done. `isLast`: the zone no longer declares scripts. */
  checked(zone: ZoneName, check: ScriptCheck, at: Date, isLast: boolean): void;
}

export interface InventoryPollerPorts {
  readonly source: InventorySource;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Renders an impact as lines: in a large fleet, the impacts themselves would take too much memory. */
  readonly impactLines: (impact: ZoneImpact) => readonly string[];
  readonly report: (report: InventoryReport) => void;
  readonly scripts: ScriptMemory;
  /** Told of the zones whose declared scripts no round checks, after each change of the files or the options. */
  readonly unchecked: (zones: readonly ZoneName[]) => void;
  readonly bug: (error: unknown, zone: string) => void;
}

/** An inventory changes within days: the poller pauses between zones. */
const longestPauseMs = 10_000;
const pausePerZoneMs = 100;

/** The rest of the interval is left to retries. */
const shareOfTheInterval = 0.8;

/** Reads the inventories of the declared zones, one zone at a time, each once in an interval. */
export class InventoryPoller {
  #options: InventoryPollerOptions | undefined;
  readonly #ports: InventoryPollerPorts;
  readonly #queue: ZoneQueue;
  #zones: ReadonlyMap<ZoneName, DesiredZone> = new Map();
  readonly #backOff: BackOff<ZoneName>;
  /** Hashes of the held plans whose impact was read, or will be next. */
  readonly #judged = new Map<ZoneName, string>();

  /** @param options `undefined`: inventories are not read. */
  constructor(options: InventoryPollerOptions | undefined, ports: InventoryPollerPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#queue = new ZoneQueue(ports.clock);
    this.#backOff = new BackOff(ports.random);
  }

  /** Uses other options from the next read on. */
  reconfigure(options: InventoryPollerOptions | undefined): void {
    this.#options = options;
    this.#tellUnchecked();
    if (options === undefined) return;
    for (const name of this.#zones.keys()) this.#queue.add(name, "sweep", "schedule", 0);
  }

  declare(zones: Iterable<DesiredZone>): void {
    const before = this.#zones;
    this.#zones = new Map([...zones].map((desired) => [desired.zone.name, desired]));
    for (const name of before.keys()) if (!this.#zones.has(name)) this.#forget(name);
    this.#tellUnchecked();
    if (this.#options === undefined) return;
    for (const [name, { content }] of this.#zones) {
      const known = before.get(name);
      if (known === undefined) this.#queue.add(name, "sweep", "schedule", 0);
      // A new authorisation or acknowledgement counts soon.
      else if (!isDeepStrictEqual(known.content.scripts, content.scripts)) {
        this.#queue.add(name, "changed", "schedule", 0);
      }
    }
  }

  #tellUnchecked(): void {
    const unchecked = uncheckedScripts(this.#options?.kinds ?? [], this.#zones.values());
    this.#ports.unchecked(unchecked.map(({ zone }) => zone.name));
  }

  /** A plan is held: its impact is read soon, for whoever decides about it. */
  planHeld(held: Plan): void {
    const { name } = held.zone;
    const hash = planHash(held);
    if (this.#options === undefined || !this.#zones.has(name)) return;
    if (this.#judged.get(name) === hash) return;
    this.#judged.set(name, hash);
    this.#queue.add(name, "changed", "schedule", 0);
  }

  /** Works until `stop` aborts. Never rejects. */
  async runUntil(stop: AbortSignal): Promise<void> {
    const { clock, bug } = this.#ports;
    const run = async ({ zone }: QueueEntry): Promise<void> => {
      await this.#poll(zone, stop);
      await clock.sleep(this.#pauseMs, stop);
    };
    await this.#queue.work(run, bug, stop);
  }

  /** A few zones are read soon; many are spread over the interval, to leave the request budget to runs. */
  get #pauseMs(): number {
    const { everyMs } = this.#options ?? { everyMs: 0 };
    const { size } = this.#zones;
    const inTime = (everyMs * shareOfTheInterval) / Math.max(1, size);
    return Math.min(size * pausePerZoneMs, longestPauseMs, inTime);
  }

  #forget(name: ZoneName): void {
    this.#queue.remove(name);
    this.#backOff.forget(name);
    this.#judged.delete(name);
  }

  async #poll(name: ZoneName, stop: AbortSignal): Promise<void> {
    const desired = this.#zones.get(name);
    const options = this.#options;
    if (desired === undefined || options === undefined) return;
    const { report, reading, retryMs } = await this.#read(desired, options, stop);
    // The zone may have been dropped from the files meanwhile, or the inventory switched off.
    if (!this.#zones.has(name) || this.#options === undefined) return;
    this.#ports.report(report);
    this.#checkScripts(desired, reading, options.maliciousBelow, report.at);
    this.#queue.add(name, "sweep", "schedule", retryMs);
  }

  #checkScripts(
    { zone: { name }, content }: DesiredZone,
    reading: ScriptReading | undefined,
    maliciousBelow: number,
    now: Date,
  ): void {
    const { scripts } = this.#ports;
    const earlier = scripts.earlier(name);
    if (content.scripts !== undefined) {
      const input = { declared: content.scripts, reading, earlier, now, maliciousBelow };
      scripts.checked(name, checkScripts(input), now, false);
    } else if (earlier !== undefined) {
      scripts.checked(name, lastScriptCheck(earlier), now, true);
    }
  }

  async #read(
    desired: DesiredZone,
    options: InventoryPollerOptions,
    stop: AbortSignal,
  ): Promise<ZoneRound> {
    const { clock, random, bug } = this.#ports;
    const { name } = desired.zone;
    try {
      const { facts, reading } = await readFacts(desired, options, this.#ports, stop);
      this.#backOff.forget(name);
      // Reads that began together at the start drift apart.
      const retryMs = Math.round(options.everyMs * (0.9 + random() / 10));
      return { report: { result: "read", zone: name, at: clock.now(), facts }, reading, retryMs };
    } catch (error) {
      stop.throwIfAborted();
      if (!(error instanceof ServiceError)) bug(error, name);
      const failure = failureOf(error);
      // A read that the token or the contract does not allow is not retried before the next interval.
      const { transient, retryAfterMs } = failure;
      const retryMs = transient ? this.#backOff.add(name, retryAfterMs) : options.everyMs;
      const report = { result: "error", zone: name, at: clock.now(), failure } as const;
      return { report, reading: undefined, retryMs };
    }
  }
}

/** A round over one zone. */
interface ZoneRound {
  readonly report: InventoryReport;
  /** `undefined`: the zone declares no scripts, or they could not be read. */
  readonly reading: ScriptReading | undefined;
  readonly retryMs: number;
}

async function readFacts(
  desired: DesiredZone,
  { kinds, maliciousBelow, owner }: InventoryPollerOptions,
  ports: Pick<InventoryPollerPorts, "source" | "clock" | "impactLines" | "scripts">,
  stop: AbortSignal,
): Promise<{ readonly facts: InventoryFacts; readonly reading: ScriptReading | undefined }> {
  const { source, clock, impactLines } = ports;
  const { zone, content } = desired;
  const parts = { ...partsOf(content, owner), policies: true };
  const live = (await source.readAnswers(zone, parts, "inventory", stop)).live();
  const { items, notPermitted } = await readKinds(zone, kinds, source, stop);
  const all = [...items.values()].flat();
  const scripts = all.filter((item) => item.kind === "script");
  const inUse = scripts.filter(isInUse);
  const outside = items.has("script") ? outsidePolicies(inUse, live.policies ?? []) : undefined;
  const planned = plan(desired, live, owner);
  let impact: readonly string[] = [];
  if (planned.changes.length > 0) {
    const judged = { content, live, plan: planned };
    const known: ImpactSource = {
      readResources: () => Promise.resolve(all.filter(isSeenResource)),
      readManaged: (...asked) => source.readManaged(...asked),
    };
    const read = await readZoneImpact(judged, maliciousBelow, known, stop);
    // The zone is read again soon.
    if (read.transient !== undefined) throw read.transient;
    impact = impactLines(read.impact);
  }
  const now = clock.now();
  let reading: ScriptReading | undefined;
  if (content.scripts !== undefined && items.has("script")) {
    const earlier = ports.scripts.earlier(zone.name);
    reading = await readScripts(content.scripts, scripts, live, earlier, now, source, stop);
  }
  const found = { items, notPermitted, outside, impact };
  return { facts: inventoryFacts(found, { maliciousBelow, now }), reading };
}

/** Contracts differ in the kinds that they include (SERVICE.md A.1): a kind that is not available does not affect the others. */
async function readKinds(
  zone: Zone,
  kinds: readonly ItemKind[],
  source: InventorySource,
  stop: AbortSignal,
): Promise<Pick<InventoryReading, "items" | "notPermitted">> {
  const items = new Map<ItemKind, readonly Item[]>();
  const notPermitted = new Map<ItemKind, Failure>();
  for (const kind of kinds) {
    try {
      items.set(kind, await source.listItems(zone, kind, stop));
    } catch (error) {
      const isNoneLeft = notPermitted.size === kinds.length - 1;
      if (!(error instanceof ServiceError) || error.transient || isNoneLeft) throw error;
      notPermitted.set(kind, failureOf(error));
    }
  }
  return { items, notPermitted };
}
