import { firstHourOf, fiveMinuteUnit, hourUnit } from "../../src/measure/hours.ts";
import type { CountSource } from "../../src/measure/measure-query.ts";
import type { MeasurementStore } from "../../src/measure/measurement-store.ts";
import { hourMs } from "../../src/syntax/time-units.ts";
import type { AnalyticsAnswer, AskAnalytics } from "../../src/zone/ports.ts";
import { ServiceError } from "../../src/zone/service-error.ts";
import { type Zone, type ZoneName, zoneId, zoneName } from "../../src/zone/zone.ts";

/** A zone of the service, and what its plan has. */
export interface CountingZone {
  readonly zone: Zone;
  /** Hours back of each source of its plan. */
  readonly sources: Readonly<Partial<Record<CountSource, number>>>;
  /** Ids of its rules and policies, by source of groups. */
  readonly ruleIds: readonly string[];
  readonly policyIds: readonly string[];
}

/** What befalls the next queries. */
export type QueryFault =
  | "none"
  | "rate_limited"
  | "budget"
  | "cut"
  | "void"
  | "null"
  | "html"
  | "partial"
  | "missing_zone"
  | "wrong_date"
  | "server";

/** How many queries of each kind of failure the service answers, and what it counts: a hash of id and hour, often 0. */
export class CountingService {
  readonly zones: readonly CountingZone[];
  readonly queries: string[] = [];
  /** By query, the oldest first. */
  faults: QueryFault[] = [];
  /** How long after its end an hour still has half of its counts. */
  lateMs = 0;
  /** Whether the token may read the analytics. */
  isPermitted = true;
  largestPage = 10_000;
  readonly #now: () => number;

  /** @param now of the service, in milliseconds since 1970. */
  constructor(zones: readonly CountingZone[], now: () => number) {
    this.zones = zones;
    this.#now = now;
  }

  /** The true count of an id in an hour; of the requests of a zone by its own id. */
  truth(id: string, hour: number): number {
    let hash = hour * 2_654_435_761;
    for (const letter of id) hash = (hash * 31 + letter.charCodeAt(0)) % 4_294_967_296;
    const count = Math.floor(hash / 7) % 40;
    return count < 25 ? 0 : count - 24;
  }

  readonly ask: AskAnalytics = (zones, query) => {
    this.queries.push(query);
    const ids = [...query.matchAll(/"([0-9a-f]{32})"/g)].map(([, id = ""]) => id);
    if (ids.length !== zones.length || ids.length > 10) throw new Error(`a wrong query: ${query}`);
    const fault = this.faults.shift();
    if (fault === "cut") return Promise.reject(new ServiceError("API_UNREACHABLE", "cut"));
    if (fault === "server") return Promise.reject(new ServiceError("API_SERVER", "fault"));
    if (fault === "rate_limited") {
      return Promise.reject(new ServiceError("API_RATE_LIMITED", "429", { retryAfterMs: 60_000 }));
    }
    const at = new Date(this.#now() + (fault === "wrong_date" ? 200 * hourMs : 0));
    return Promise.resolve({ body: this.#bodyOf(query, ids, fault), at });
  };

  #bodyOf(
    query: string,
    ids: readonly string[],
    fault: QueryFault | undefined,
  ): AnalyticsAnswer["body"] {
    if (fault === "html") return "<html>";
    if (fault === "null") return { data: null, errors: null };
    if (fault === "void") return refused("internal server error");
    if (fault === "budget") return refused("Zone x has exceeded its rate limit", "budget");
    if (!this.isPermitted) return refused(`zones [${ids.join(" ")}] are not authorized`, "authz");
    try {
      const nodes = ids.map((id) => this.#nodeOf(query, this.#zone(id)));
      if (fault === "missing_zone") nodes.shift();
      if (fault !== "partial") return { data: { viewer: { zones: nodes } }, errors: null };
      const [first, ...others] = nodes;
      const broken = { zoneTag: first?.["zoneTag"] };
      const error = { message: "query consumed excessive time", path: ["viewer", "zones", 0] };
      return { data: { viewer: { zones: [broken, ...others] } }, errors: [error] };
    } catch (error) {
      if (error instanceof RefusedQuery) return refused(error.message, "authz");
      throw error;
    }
  }

  #zone(id: string): CountingZone {
    const found = this.zones.find(({ zone }) => zone.id === id);
    if (found === undefined) throw new Error(`no zone ${id}`);
    return found;
  }

  #nodeOf(query: string, counting: CountingZone): Record<string, unknown> {
    const zoneTag = counting.zone.id;
    const settings = settingsOf(counting, this.largestPage);
    if (query.includes("settings {")) return { zoneTag, settings };
    const {
      source = "",
      limit = "",
      from = "",
      to = "",
    } = /(?<source>\w+)\(limit: (?<limit>\d+), filter: \{ datetime_geq: "(?<from>[^"]+)", datetime_lt: "(?<to>[^"]+)" \}\)/.exec(
      query,
    )?.groups ?? {};
    const backHours = Object.entries(counting.sources).find(([name]) => name === source)?.[1];
    if (backHours === undefined) {
      throw new RefusedQuery(`zone '${zoneTag}' does not have access to the path`);
    }
    const [start, end] = [Date.parse(from), Date.parse(to)];
    if (start < this.#now() - backHours * hourMs) {
      throw new RefusedQuery("cannot request data older than 1d");
    }
    const rows = this.#rowsOf(counting, source, query, [start, end]);
    return { zoneTag, [source]: rows.slice(0, Math.min(Number(limit), this.largestPage)) };
  }

  #rowsOf(
    { zone, ruleIds, policyIds }: CountingZone,
    source: string,
    query: string,
    [from, to]: readonly [number, number],
  ): readonly unknown[] {
    const rows: unknown[] = [];
    const isOfPolicies = source === "pageShieldReportsAdaptiveGroups";
    const ids =
      source === "httpRequestsAdaptiveGroups" ? [zone.id] : isOfPolicies ? policyIds : ruleIds;
    const unit = query.includes(fiveMinuteUnit.dimension) ? fiveMinuteUnit : hourUnit;
    for (let hour = Math.floor(from / hourMs); hour * hourMs < to; hour += 1) {
      for (const id of ids) {
        const times = this.timesOf(id, hour).filter((at) => at >= from && at < to);
        const names = isOfPolicies
          ? { policyID: id, action: "log" }
          : { ruleId: id, rulesetId: "e".repeat(32), action: "block" };
        if (source === "firewallEventsAdaptive") {
          for (const at of times) {
            rows.push({ ...names, datetime: new Date(at).toISOString(), sampleInterval: 1 });
          }
          continue;
        }
        const groups = Map.groupBy(times, (at) => Math.floor(at / unit.ms) * unit.ms);
        for (const [at, { length }] of groups) {
          const dimensions = { ...names, [unit.dimension]: new Date(at).toISOString() };
          rows.push({ count: length, avg: { sampleInterval: 1 }, dimensions });
        }
      }
    }
    return rows;
  }

  /** The moments of the events of an hour that have arrived. */
  timesOf(id: string, hour: number): readonly number[] {
    const count = this.truth(id, hour);
    const isLate = this.#now() < (hour + 1) * hourMs + this.lateMs;
    const arrived = isLate ? Math.floor(count / 2) : count;
    return Array.from({ length: arrived }, (_, nth) => hour * hourMs + nth * 200_000).filter(
      (at) => at <= this.#now(),
    );
  }
}

function refused(message: string, code?: string): unknown {
  const extensions = code === undefined ? {} : { code };
  return { data: null, errors: [{ message, path: null, extensions }] };
}

class RefusedQuery extends Error {}

function settingsOf({ sources }: CountingZone, page: number): unknown {
  return Object.fromEntries(
    [
      "httpRequestsAdaptiveGroups",
      "firewallEventsAdaptiveGroups",
      "firewallEventsAdaptive",
      "pageShieldReportsAdaptiveGroups",
    ].map((name) => {
      const hours = Object.entries(sources).find(([source]) => source === name)?.[1];
      const seconds = (hours ?? 0) * 3_600;
      const limits = { notOlderThan: seconds, maxDuration: Math.max(86_400, seconds) };
      return [name, { enabled: hours !== undefined, ...limits, maxPageSize: page }];
    }),
  );
}

/** A zone with two rules and a policy; `nth` tells it from others. */
export function countingZone(
  name: string,
  nth: number,
  sources: CountingZone["sources"],
): CountingZone {
  const known = zoneName(name);
  const id = zoneId(`${nth}`.padStart(32, "0"));
  if (known === undefined || id === undefined) throw new Error(`${name} is no zone`);
  const zone = { id, name: known, accountId: "a", accountName: "A", status: "active", tier: "pro" };
  const ids = [1, 2, 3].map((each) => `${nth}${each}`.padStart(8, "a").padEnd(32, "0"));
  return { zone, sources, ruleIds: ids.slice(0, 2), policyIds: ids.slice(2) };
}

/** Measurements in memory, which can fail. */
export class MemoryMeasurements implements MeasurementStore {
  readonly records = new Map<string, ReadonlyMap<ZoneName, string>>();
  isFailing = false;
  /** Whether nothing more can be written. */
  isFull = false;

  async read(day: string, zone: ZoneName): Promise<string | undefined> {
    await this.#mayFail();
    return this.records.get(day)?.get(zone);
  }

  async *readAll(day: string): AsyncGenerator<readonly [ZoneName, string]> {
    await this.#mayFail();
    yield* this.records.get(day) ?? [];
  }

  async days(): Promise<readonly string[]> {
    await this.#mayFail();
    return [...this.records.keys()].toSorted();
  }

  async write(day: string, records: ReadonlyMap<ZoneName, string>): Promise<void> {
    await this.#mayFail();
    if (this.isFull) throw new Error("the disk is full");
    this.records.set(day, new Map([...(this.records.get(day) ?? []), ...records]));
  }

  async dropBefore(first: string): Promise<void> {
    await this.#mayFail();
    for (const day of this.records.keys()) {
      if (firstHourOf(day) < firstHourOf(first)) this.records.delete(day);
    }
  }

  #mayFail(): Promise<void> {
    return this.isFailing ? Promise.reject(new Error("the disk is gone")) : Promise.resolve();
  }
}
