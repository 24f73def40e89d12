import { holdReasons } from "../../plan/guard/hold.ts";
import { type ByKind, countByKind, driftIn, impacts } from "../../state/drift.ts";
import type { InventoryFacts, InventorySummary } from "../../state/inventory.ts";
import { findingKinds, openOf, type ScriptWatch } from "../../state/scripts/script-watch.ts";
import {
  driftOf,
  holdsOf,
  pendingOf,
  unknownOf,
  type ZoneState,
  zoneStatuses,
} from "../../state/zone-state.ts";
import {
  type ItemKind,
  itemKinds,
  itemStatuses,
  resourceKinds,
} from "../../zone/inventory-item.ts";
import { kinds } from "../../zone/resource.ts";
import { type Labels, type MetricDefinition, seconds } from "./metric-definition.ts";
import { metricTable } from "./metric-table.ts";

/** Characters of a piece; other work runs between pieces. */
const pieceLength = 65_536;

/** One metric with series for each zone. */
interface ZoneFamily {
  readonly definition: MetricDefinition;
  /** Labels beside `zone`, one set for each series, in the order of `values`. */
  readonly series: readonly Labels[];
  /** `undefined`: the zone has no such series. */
  values(state: ZoneState): readonly (number | undefined)[];
}

/** A metric with one series for each zone. */
function single(
  definition: MetricDefinition,
  value: (state: ZoneState) => number | undefined,
): ZoneFamily {
  return { definition, series: [{}], values: (state) => [value(state)] };
}

/** A metric with one series for each zone and value of a label. */
function byLabel<T extends string>(
  definition: MetricDefinition,
  label: string,
  names: readonly T[],
  valuesOf: (state: ZoneState) => (name: T) => number | undefined,
): ZoneFamily {
  return {
    definition,
    series: names.map((name) => ({ [label]: name })),
    values: (state) => names.map(valuesOf(state)),
  };
}

/** A metric with one series for each zone and kind of resource. */
function byKind(definition: MetricDefinition, counts: (state: ZoneState) => ByKind): ZoneFamily {
  return byLabel(definition, "kind", kinds, (state) => {
    const found = counts(state);
    return (kind) => found[kind];
  });
}

/** Without series for a zone whose value is `undefined`: inventories are off, or there is nothing to count yet. */
const families: readonly ZoneFamily[] = [
  single(metricTable.zoneSuccessAt, ({ lastSuccess }) => seconds(lastSuccess)),
  single(metricTable.zoneAttemptAt, ({ lastRun }) => seconds(lastRun?.at)),
  single(metricTable.zoneFailures, ({ consecutiveFailures }) => consecutiveFailures),
  byLabel(metricTable.zoneStatus, "status", zoneStatuses, (state) => (status) => {
    return Number(status === state.status);
  }),
  {
    definition: metricTable.drift,
    series: kinds.flatMap((kind) => impacts.map((impact) => ({ kind, impact }))),
    values: (state) => {
      const counts = driftIn(driftOf(state));
      return kinds.flatMap((kind) => impacts.map((impact) => counts[kind][impact]));
    },
  },
  byKind(metricTable.pending, (state) => countByKind(pendingOf(state))),
  byKind(metricTable.causeUnknown, (state) => countByKind(unknownOf(state))),
  single(metricTable.pendingSince, ({ pendingSince }) => seconds(pendingSince)),
  byKind(metricTable.unmanaged, ({ unmanaged }) => countByKind(unmanaged)),
  byKind(metricTable.driftOnsets, ({ driftOnsets }) => driftOnsets),
  byLabel(metricTable.held, "reason", holdReasons, (state) => {
    const reasons = new Set(holdsOf(state).map(({ reason }) => reason));
    return (reason) => (reasons.has(reason) ? 1 : undefined);
  }),
  // No series if the version is not a number.
  single(metricTable.owaspVersion, ({ owasp }) =>
    /^\d+$/.test(owasp?.version ?? "") ? Number(owasp?.version) : undefined,
  ),
  single(metricTable.inventoryReadAt, ({ inventory }) => inventory && seconds(inventory.readAt)),
  single(
    metricTable.inventoryFailing,
    ({ inventory }) => inventory && Number(inventory.failure !== undefined),
  ),
  byLabel(metricTable.inventoryNotPermitted, "kind", itemKinds, ({ inventory }) => (kind) => {
    return notPermitted(kind, inventory?.facts);
  }),
  {
    definition: metricTable.inventoryItems,
    series: itemKinds.flatMap((kind) => itemStatuses.map((status) => ({ kind, status }))),
    values: ({ inventory }) =>
      itemKinds.flatMap((kind) => itemsByStatus(inventory?.facts?.kinds.get(kind))),
  },
  byLabel(metricTable.inventoryNew, "kind", itemKinds, ({ inventory }) => (kind) => {
    return inventory?.facts?.kinds.get(kind)?.fresh;
  }),
  {
    definition: metricTable.inventoryMalicious,
    series: resourceKinds.flatMap((kind) => itemStatuses.map((status) => ({ kind, status }))),
    values: ({ inventory }) =>
      resourceKinds.flatMap((kind) => maliciousByStatus(kind, inventory?.facts)),
  },
  byLabel(metricTable.inventoryFound, "kind", resourceKinds, ({ inventory }) => (kind) => {
    return inventory?.found[kind];
  }),
  single(metricTable.inventoryOutside, ({ inventory }) => inventory?.facts?.outside?.count),
  {
    definition: metricTable.scriptsOnPages,
    series: [{ authorised: "true" }, { authorised: "false" }],
    values: ({ scripts }) => (scripts === undefined ? [] : scriptCounts(scripts)),
  },
  single(metricTable.scriptsCheckedAt, ({ scripts }) => scripts && seconds(scripts.readAt)),
  byLabel(metricTable.scriptFindings, "kind", findingKinds, ({ scripts }) => (kind) => {
    return scripts && openOf(scripts, kind);
  }),
  single(
    metricTable.scriptsAcknowledged,
    ({ scripts }) => scripts?.findings.filter(({ acceptance }) => acceptance !== undefined).length,
  ),
];

/** How many scripts are authorised, and how many are not: of more scripts than are kept, those come first. */
function scriptCounts({ scripts, moreScripts }: ScriptWatch): readonly number[] {
  const authorised = scripts.filter(({ isAuthorised }) => isAuthorised).length;
  const others = scripts.length - authorised;
  return others === scripts.length
    ? [authorised, others + moreScripts]
    : [authorised + moreScripts, others];
}

/** 1 if a kind is not permitted, 0 if it was read, `undefined` if it is not configured. */
function notPermitted(kind: ItemKind, facts: InventoryFacts | undefined): number | undefined {
  if (facts?.notPermitted.has(kind) === true) return 1;
  return facts?.kinds.has(kind) === true ? 0 : undefined;
}

/** Counts in the order of the statuses; the last one includes unknown statuses. */
function itemsByStatus(summary: InventorySummary | undefined): readonly (number | undefined)[] {
  if (summary === undefined) return itemStatuses.map(() => undefined);
  const named = itemStatuses.slice(0, -1).map((status) => summary.statuses[status] ?? 0);
  return [...named, summary.total - named.reduce((sum, count) => sum + count, 0)];
}

/** Counts in the order of the statuses; none if the kind is not configured. */
function maliciousByStatus(
  kind: ItemKind,
  facts: InventoryFacts | undefined,
): readonly (number | undefined)[] {
  if (facts?.kinds.has(kind) !== true) return itemStatuses.map(() => undefined);
  const found = facts.malicious
    .filter((item) => item.kind === kind)
    .map(({ status }) => itemStatuses.find((known) => known === status) ?? "none");
  return itemStatuses.map((status) => found.filter((each) => each === status).length);
}

/**
 * The metrics of all zones in pieces of bounded length. They are rendered from the states at each scrape: in the metrics
 * client, 10,000 zones would need three times the memory, and removed zones would keep their series.
 */
export function* renderZones(zones: readonly ZoneState[]): Generator<string> {
  let piece = "";
  for (const family of families) {
    const { name, type, help } = family.definition;
    piece += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
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
  for (const [at, tail] of tails.entries()) {
    const value = values[at];
    if (value !== undefined) lines += `${head}${tail} ${value}\n`;
  }
  return lines;
}

/** What follows the label `zone`: `,kind="policy"}`. Only the table has these values: they need no escaping either. */
function tailOf(labels: Labels): string {
  const pairs = Object.entries(labels).map(([label, value]) => `,${label}="${value}"`);
  return `${pairs.join("")}}`;
}
