import { Collector, type CollectorPorts } from "../../src/measure/collector.ts";
import { countIn, type DayRecord, dayRecordOf } from "../../src/measure/day-record.ts";
import { dayOf } from "../../src/measure/hours.ts";
import type { HourCount } from "../../src/measure/measurement.ts";
import type { CollectorStatus } from "../../src/state/collector-status.ts";
import { hourMs } from "../../src/syntax/time-units.ts";
import { noContent, type ZoneContent } from "../../src/zone/desired-zone.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import type { ZoneName } from "../../src/zone/zone.ts";
import { SimulatedClock } from "./clock.ts";
import { CountingService, type CountingZone, MemoryMeasurements } from "./counting-service.ts";

const start = new Date("2026-11-20T12:00:00Z");

const someList = { items: [], unmanaged: "report" } as const;

/** A declaration of which all datasets are counted. */
export const countedContent: ZoneContent = {
  ...noContent,
  policies: someList,
  rules: { custom_rules: someList },
};

/** As long as records are kept by default. */
export const keptMs: number = 840 * hourMs;

/** The ports of a collector, by default with an empty store; a fault of the program is thrown. */
export function collectorPorts(
  given: Pick<CollectorPorts, "ask" | "clock"> & Partial<CollectorPorts>,
): CollectorPorts {
  return {
    credentialOf: () => "main",
    store: new MemoryMeasurements(),
    random: () => 0.5,
    changed: () => undefined,
    unusual: () => undefined,
    bug: (error) => {
      throw new Error("a fault of the program", { cause: error });
    },
    ...given,
  };
}

/** Keys of the objects of a zone, by their ids. */
function liveKeysOf({ ruleIds, policyIds }: CountingZone): ReadonlyMap<string, ResourceKey> {
  const rules = ruleIds.map((id, nth) => [id, `custom_rule/rule-${nth}`] as const);
  const policies = policyIds.map((id, nth) => [id, `policy/policy-${nth}`] as const);
  return new Map<string, ResourceKey>([...rules, ...policies]);
}

/** A collector over a service that counts, with what it stored and said. Time passes only when it is told to. */
export class Collecting implements AsyncDisposable {
  readonly clock = new SimulatedClock(start);
  readonly service: CountingService;
  readonly store = new MemoryMeasurements();
  readonly statuses: CollectorStatus[] = [];
  /** Which objects left their usual range. */
  readonly unusual: string[] = [];
  readonly bugs: unknown[] = [];
  /** How long each answer takes. */
  answerMs = 0;
  /** By text. A record is asked for each of its hours. */
  readonly #parsed = new Map<string, DayRecord | undefined>();
  #running:
    | { readonly collector: Collector; readonly stop: AbortController; readonly end: Promise<void> }
    | undefined;

  constructor(zones: readonly CountingZone[]) {
    this.service = new CountingService(zones, () => this.serviceNow);
  }

  /** What the service takes for now: no jump of the clock on the wall moves it. */
  get serviceNow(): number {
    return start.getTime() + this.clock.monotonicMs();
  }

  /** Starts a process; `isOn: false`: nothing asks for measurements. */
  start(isOn = true, maxAgeMs = keptMs): Collector {
    const ports = collectorPorts({
      ask: async (asked, query, signal) => {
        const reply = this.service.ask(asked, query, signal);
        if (this.answerMs > 0) await this.clock.sleep(this.answerMs, signal);
        return reply;
      },
      store: this.store,
      clock: this.clock,
      changed: (status) => this.statuses.push(status),
      unusual: (zone, { key, state }) => this.unusual.push(`${zone} ${key} ${state}`),
      bug: (error) => this.bugs.push(error),
    });
    const collector = new Collector(isOn ? { maxAgeMs } : undefined, ports);
    collector.declare(this.service.zones.map(({ zone }) => ({ zone, content: countedContent })));
    for (const each of this.service.zones) collector.note(each.zone.name, liveKeysOf(each));
    const stop = new AbortController();
    this.#running = { collector, stop, end: collector.runUntil(stop.signal) };
    return collector;
  }

  /** Ends the process, at whatever moment. */
  async end(): Promise<void> {
    this.#running?.stop.abort();
    await this.#running?.end;
    this.#running = undefined;
  }

  hours(count: number): Promise<void> {
    return this.clock.advance(count * hourMs);
  }

  /** What is stored of an object in an hour. */
  async count(zone: ZoneName, what: ResourceKey | "requests", hour: number): Promise<HourCount> {
    const text = (await this.store.read(dayOf(hour), zone)) ?? "";
    if (!this.#parsed.has(text)) this.#parsed.set(text, dayRecordOf(zone, dayOf(hour), text));
    return countIn(this.#parsed.get(text), what, hour % 24);
  }

  /** The true count of an object in an hour. */
  truth({ zone, ruleIds, policyIds }: CountingZone, what: string, hour: number): number {
    const nth = Number(what.at(-1));
    const id =
      what === "requests" ? zone.id : (what.startsWith("policy/") ? policyIds : ruleIds)[nth];
    return this.service.truth(id ?? "", hour);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }
}

/** What is counted of each zone of {@link Collecting}. */
export const countedKeys = [
  "requests",
  "custom_rule/rule-0",
  "custom_rule/rule-1",
  "policy/policy-0",
] as const;

/** The hour in which {@link Collecting} begins. */
export const startHour: number = start.getTime() / hourMs;
