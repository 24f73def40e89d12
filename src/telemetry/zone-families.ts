import { blockReasonOf, blockReasons } from "../report/block-reason.ts";
import { countByKind, driftIn, impacts, type ByKind } from "../report/drift.ts";
import { driftOf, pendingOf, zoneStatuses, type ZoneState } from "../report/zone-state.ts";
import { kinds } from "../zone/resource.ts";
import { renderHead, renderLabels, seconds } from "./exposition.ts";
import { metricTable, type MetricDefinition } from "./metric-table.ts";

/** Characters after which a piece of text is handed on, so that nobody waits for the whole. */
const pieceLength = 65_536;

/** One metric with series for each zone. */
interface ZoneFamily {
  readonly definition: MetricDefinition;
  /** Labels beside `zone`, one set for each series, in the order of `values`. */
  readonly series: readonly Readonly<Record<string, string>>[];
  values(state: ZoneState): readonly number[];
}

const byKind = kinds.map((kind) => ({ kind }));
const noLabels = [{}];

const families: readonly ZoneFamily[] = [
  {
    definition: metricTable.zoneSuccessAt,
    series: noLabels,
    values: (state) => [seconds(state.lastSuccess)],
  },
  {
    definition: metricTable.zoneAttemptAt,
    series: noLabels,
    values: (state) => [seconds(state.lastRun?.at)],
  },
  {
    definition: metricTable.zoneFailures,
    series: noLabels,
    values: (state) => [state.consecutiveFailures],
  },
  {
    definition: metricTable.zoneStatus,
    series: zoneStatuses.map((status) => ({ status })),
    values: (state) => zoneStatuses.map((status) => Number(status === state.status)),
  },
  {
    definition: metricTable.drift,
    series: kinds.flatMap((kind) => impacts.map((impact) => ({ kind, impact }))),
    values: (state) => {
      const counts = driftIn(driftOf(state));
      return kinds.flatMap((kind) => impacts.map((impact) => counts[kind][impact]));
    },
  },
  {
    definition: metricTable.pending,
    series: byKind,
    values: (state) => inOrder(countByKind(pendingOf(state))),
  },
  {
    definition: metricTable.unmanaged,
    series: byKind,
    values: (state) => inOrder(countByKind(state.unmanaged)),
  },
  {
    definition: metricTable.driftOnsets,
    series: byKind,
    values: (state) => inOrder(state.driftOnsets),
  },
  {
    definition: metricTable.blocked,
    series: blockReasons.map((reason) => ({ reason })),
    values: (state) => {
      const reasons = new Set(state.refusals.map(({ code }) => blockReasonOf(code)));
      return blockReasons.map((reason) => Number(reasons.has(reason)));
    },
  },
];

/**
 * The metrics of all zones in pieces of bounded length.
 *
 * They are written anew from the zones' states at each scrape: kept in the metrics client, 10,000 zones
 * would cost three times the memory, and a zone that is gone would keep its series.
 */
export function* renderZones(zones: readonly ZoneState[]): Generator<string> {
  let piece = "";
  for (const family of families) {
    piece += renderHead(family.definition);
    const tails = family.series.map(tailOf);
    for (const state of zones) {
      piece += linesOf(family, tails, state);
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = "";
    }
  }
  yield piece;
}

function linesOf(family: ZoneFamily, tails: readonly string[], state: ZoneState): string {
  // A zone's name needs no escaping: it consists of letters, digits, hyphens and dots (zone/zone.ts).
  const head = `${family.definition.name}{zone="${state.declared.name}"`;
  const values = family.values(state);
  let lines = "";
  for (const [at, tail] of tails.entries()) lines += `${head}${tail} ${values[at] ?? 0}\n`;
  return lines;
}

/** What follows the label `zone`: `,kind="policy"}`. */
function tailOf(labels: Readonly<Record<string, string>>): string {
  const rendered = renderLabels(labels);
  return rendered === "" ? "}" : `,${rendered.slice(1)}`;
}

function inOrder(counts: ByKind): readonly number[] {
  return kinds.map((kind) => counts[kind]);
}
