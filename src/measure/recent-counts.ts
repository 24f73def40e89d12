import { hourMs } from "../syntax/time-units.ts";
import type { ResourceKey } from "../zone/resource.ts";
import type { ZoneName } from "../zone/zone.ts";
import type { CountedZone } from "./counted-zone.ts";
import { type HoursRead, intervalOf, rowsOfIds, sumOf } from "./day-record.ts";
import { completeAt, fiveMinuteUnit, type UnitRange } from "./hours.ts";
import { datasetOf, datasets, type HourCount, type MeasuredDataset } from "./measurement.ts";
import { type CountTask, type QueryPorts, QueryRound } from "./query-round.ts";
import type { ServiceTime } from "./service-time.ts";

/** How many times of five minutes are read: those of an hour. */
const recentUnits = hourMs / fiveMinuteUnit.ms;

/** A zone whose recent counts are asked for, and the objects of it that are watched. */
export interface WatchedZone {
  readonly zone: ZoneName;
  readonly keys: readonly ResourceKey[];
}

/** The counts of the last hour of a zone that is complete; each list has one for each five minutes, the oldest first. */
export interface RecentCounts {
  /** Start of the first five minutes, by the clock of the service; a multiple of five minutes. */
  readonly since: Date;
  /** All requests of the zone. */
  readonly requests: readonly HourCount[];
  /** By watched object. `undeclared`: no run found it live. */
  readonly objects: ReadonlyMap<ResourceKey, readonly HourCount[]>;
}

/**
 * Reads the recent counts of zones; nothing is sent for none. A zone that is not in the result is not measured at all: it is
 * not declared, or measurements are off. What cannot be read is `failed` or `refused`; rejects only when the signal aborts.
 */
export type ReadRecentCounts = (
  watched: readonly WatchedZone[],
  signal: AbortSignal,
) => Promise<ReadonlyMap<ZoneName, RecentCounts>>;

/** As {@link ReadRecentCounts}, of zones that are counted. A zone without watched objects that are live costs no query. */
export async function readRecentCounts(
  watched: readonly { readonly zone: CountedZone; readonly keys: readonly ResourceKey[] }[],
  ports: QueryPorts,
  time: ServiceTime,
  signal: AbortSignal,
): Promise<ReadonlyMap<ZoneName, RecentCounts>> {
  const round = new QueryRound(ports, time, signal);
  const known = watched.map(({ zone, keys }) => ({ zone, keys, ids: liveIdsOf(zone, keys) }));
  const asked = known.filter(({ ids }) => ids.size > 0);
  await round.readLimits(asked.map(({ zone }) => zone));
  const to = completeAt(time.now(), fiveMinuteUnit);
  const range = { from: to - recentUnits, to };
  const reads = new Map<CountedZone, Map<MeasuredDataset, HoursRead>>();
  const put = ({ zone, dataset }: Pick<CountTask, "zone" | "dataset">, read: HoursRead): void => {
    reads.set(zone, new Map([...(reads.get(zone) ?? []), [dataset, read]]));
  };
  const tasksOf = (zone: CountedZone, dataset: MeasuredDataset): readonly CountTask[] => {
    const found = zone.sourceOf(dataset, ports.clock.monotonicMs());
    if (found?.result !== "source") return [];
    const { source, limits } = found;
    return [{ zone, dataset, source, unit: fiveMinuteUnit, range, pageSize: limits.pageSize }];
  };
  const tasks = asked.flatMap(({ zone, ids }) => {
    const counted = new Set(["requests", ...[...ids.keys()].map(datasetOf)]);
    return datasets.filter((each) => counted.has(each)).flatMap((each) => tasksOf(zone, each));
  });
  await round.readCounts(tasks, put, ({ zone, dataset }) => tasksOf(zone, dataset));
  signal.throwIfAborted();
  return new Map(
    known.map(({ zone, keys, ids }): readonly [ZoneName, RecentCounts] => {
      const readOf = (dataset: MeasuredDataset): HoursRead => {
        const read = reads.get(zone)?.get(dataset);
        if (read !== undefined) return read;
        const found = zone.sourceOf(dataset, ports.clock.monotonicMs());
        return found?.result === "refused" ? found : { result: "failed", why: round.failure };
      };
      const objects = keys.map((key): readonly [ResourceKey, readonly HourCount[]] => {
        const own = ids.get(key);
        const counts: readonly HourCount[] =
          own === undefined
            ? Array.from({ length: recentUnits }, () => ({ state: "undeclared" }))
            : countsIn(readOf(datasetOf(key)), range, own);
        return [key, counts];
      });
      const requests = countsIn(readOf("requests"), range);
      const since = new Date(range.from * fiveMinuteUnit.ms);
      return [zone.zone.name, { since, requests, objects: new Map(objects) }];
    }),
  );
}

/** The ids by which the service counts the objects that are live. */
function liveIdsOf(
  { objects }: CountedZone,
  keys: readonly ResourceKey[],
): ReadonlyMap<ResourceKey, readonly string[]> {
  const live = objects?.all.filter(({ key, until }) => until === Infinity && keys.includes(key));
  return new Map(live?.map(({ key, ids }) => [key, ids]));
}

/** The count of each unit of a range; `ids` left out: of all rows. */
function countsIn(
  read: HoursRead,
  { from, to }: UnitRange,
  ids?: readonly string[],
): readonly HourCount[] {
  return Array.from({ length: to - from }, (_, index): HourCount => {
    if (read.result === "refused") return { state: "refused", reason: read.reason };
    if (read.result === "failed") return { state: "failed" };
    const rows = read.rows.filter(({ nth }) => nth === from + index);
    const own = ids === undefined ? rows : rowsOfIds(rows, ids);
    const byAction = Map.groupBy(ids === undefined ? [] : own, ({ action }) => action);
    const actions = Object.fromEntries([...byAction].map(([name, some]) => [name, sumOf(some)]));
    return { state: "measured", count: sumOf(own), actions, sampleInterval: intervalOf(rows) };
  });
}
