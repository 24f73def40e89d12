import type { JudgedFleet, JudgedZone } from "../../measure/judged-fleet.ts";
import { shareStates } from "../../measure/usual-share.ts";
import { holdReasons } from "../../plan/guard/hold.ts";
import { countByKind, driftIn, impacts } from "../../state/drift.ts";
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
import { sum } from "../../syntax/sum.ts";
import {
  type ItemKind,
  itemKinds,
  itemStatuses,
  resourceKinds,
} from "../../zone/inventory-item.ts";
import { type Kind, kinds, listedKinds } from "../../zone/resource.ts";
import {
  type Labels,
  type MetricDefinition,
  metricTable,
  seconds,
  seriesOf,
} from "./metric-table.ts";
import { type ExportedLabels, zoneLabelTexts } from "./zone-labels.ts";

/** Characters of a piece; other work runs between pieces. */
const pieceLength = 65_536;
/** Zones of a piece: most of them may have no series. */
const pieceZones = 500;

/**
 * The values of a zone, in the order in which the labels of the metric list theirs; `undefined`, or missing at the end:
 * there is no such series.
 */
type Values = (state: ZoneState, judged: JudgedZone | undefined) => readonly (number | undefined)[];

const families: readonly (readonly [MetricDefinition, Values])[] = [
  [metricTable.zoneSuccessAt, ({ lastSuccess }) => [seconds(lastSuccess)]],
  [metricTable.zoneAttemptAt, ({ lastRun }) => [seconds(lastRun?.at)]],
  [metricTable.zoneFailures, ({ consecutiveFailures }) => [ifAny(consecutiveFailures)]],
  [
    metricTable.zoneStatus,
    ({ status }) => zoneStatuses.map((each) => (each === status ? 1 : undefined)),
  ],
  [
    metricTable.drift,
    (state) => {
      const drift = driftOf(state);
      if (drift.length === 0) return none;
      const counts = driftIn(drift);
      return kinds.flatMap((kind) => impacts.map((impact) => ifAny(counts[kind][impact])));
    },
  ],
  [metricTable.pending, (state) => byKind(pendingOf(state))],
  [metricTable.causeUnknown, (state) => byKind(unknownOf(state))],
  [metricTable.pendingSince, ({ pendingSince }) => [pendingSince && seconds(pendingSince)]],
  [metricTable.unmanaged, ({ unmanaged }) => byKind(unmanaged)],
  [metricTable.driftOnsets, ({ driftOnsets }) => [driftOnsets]],
  [
    metricTable.held,
    (state) => {
      const holds = holdsOf(state);
      if (holds.length === 0) return none;
      const reasons = new Set(holds.map(({ reason }) => reason));
      return holdReasons.map((reason) => (reasons.has(reason) ? 1 : undefined));
    },
  ],
  [
    metricTable.owaspVersion,
    // No series if the version is not a number.
    ({ owasp }) => [/^\d+$/.test(owasp?.version ?? "") ? Number(owasp?.version) : undefined],
  ],
  [metricTable.inventoryReadAt, ({ inventory }) => [inventory && seconds(inventory.readAt)]],
  [
    metricTable.inventoryFailing,
    ({ inventory }) => [inventory && Number(inventory.failure !== undefined)],
  ],
  [
    metricTable.inventoryNotPermitted,
    ({ inventory }) =>
      itemKinds.map((kind) => (inventory?.facts?.notPermitted.has(kind) === true ? 1 : undefined)),
  ],
  [
    metricTable.inventoryItems,
    ({ inventory }) =>
      itemKinds.flatMap((kind) => itemsByStatus(inventory?.facts?.kinds.get(kind))),
  ],
  [
    metricTable.inventoryNew,
    ({ inventory }) =>
      itemKinds.map((kind) => ifAny(inventory?.facts?.kinds.get(kind)?.fresh ?? 0)),
  ],
  [
    metricTable.inventoryMalicious,
    ({ inventory }) => resourceKinds.flatMap((kind) => maliciousByStatus(kind, inventory?.facts)),
  ],
  [
    metricTable.inventoryFound,
    ({ inventory }) => resourceKinds.map((kind) => inventory?.found[kind]),
  ],
  [metricTable.inventoryOutside, ({ inventory }) => [inventory?.facts?.outside?.count]],
  [metricTable.scriptsOnPages, ({ scripts }) => (scripts ? scriptCounts(scripts) : [])],
  [metricTable.scriptsCheckedAt, ({ scripts }) => [scripts && seconds(scripts.readAt)]],
  [
    metricTable.scriptFindings,
    ({ scripts }) => findingKinds.map((kind) => scripts && ifAny(openOf(scripts, kind))),
  ],
  [
    metricTable.scriptsAcknowledged,
    ({ scripts }) => [
      scripts?.findings.filter(({ acceptance }) => acceptance !== undefined).length,
    ],
  ],
  [metricTable.measuredRequests, (_state, judged) => [judged?.requests]],
  [
    metricTable.measuredEvents,
    (_state, judged) => (judged ? listedKinds.map((kind) => judged.counts.get(kind)) : none),
  ],
  [
    metricTable.measuredResources,
    (_state, judged) => (judged ? shareStates.map((state) => judged.states.get(state)) : none),
  ],
];

const none: ReturnType<Values> = [];

/** The value of a gauge that has no series at zero: most zones have nothing to tell of. */
function ifAny(count: number): number | undefined {
  return count > 0 ? count : undefined;
}

/** By kind, how many resources there are. */
function byKind(resources: readonly { readonly kind: Kind }[]): ReturnType<Values> {
  if (resources.length === 0) return none;
  const counts = countByKind(resources);
  return kinds.map((kind) => ifAny(counts[kind]));
}

/** How many scripts are authorised, and how many are not: of more scripts than are kept, those come first. */
function scriptCounts({ scripts, moreScripts }: ScriptWatch): readonly number[] {
  const authorised = scripts.filter(({ isAuthorised }) => isAuthorised).length;
  const others = scripts.length - authorised;
  return others === scripts.length
    ? [authorised, others + moreScripts]
    : [authorised + moreScripts, others];
}

/** Counts in the order of the statuses; the last one includes unknown statuses. */
function itemsByStatus(summary: InventorySummary | undefined): readonly (number | undefined)[] {
  if (summary === undefined) return itemStatuses.map(() => undefined);
  const named = itemStatuses.slice(0, -1).map((status) => summary.statuses[status] ?? 0);
  return [...named, summary.total - sum(named)].map(ifAny);
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
  return itemStatuses.map((status) => ifAny(found.filter((each) => each === status).length));
}

/**
 * The metrics of all zones in pieces of bounded length. They are rendered from the states at each scrape: in the metrics
 * client, 10,000 zones would need three times the memory, and removed zones would keep their series.
 */
export function* renderZones(
  zones: readonly ZoneState[],
  exported: ExportedLabels = {},
  judged?: JudgedFleet,
): Generator<string> {
  const { textOf } = zoneLabelTexts(zones, exported);
  let piece = "";
  for (const [definition, valuesOf] of families) {
    const { name, type, help, labels } = definition;
    piece += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
    const { zone: _zone, ...others } = labels;
    const tails = seriesOf(others).map(tailOf);
    for (const [nth, state] of zones.entries()) {
      // A zone's name needs no escaping: it consists of letters, digits, hyphens and dots (zone/zone.ts).
      const head = `${name}{zone="${state.declared.name}"${textOf(state.declared.labels)}`;
      const values = valuesOf(state, judged?.zones.get(state.declared.name));
      for (const [at, value] of values.entries()) {
        if (value !== undefined) piece += `${head}${tails[at] ?? ""} ${value}\n`;
      }
      if (piece.length < pieceLength && (nth + 1) % pieceZones !== 0) continue;
      yield piece;
      piece = "";
    }
  }
  yield piece;
}

/** What follows the label `zone`: `,kind="policy"}`. Only the table has these values: they need no escaping either. */
function tailOf(labels: Labels): string {
  const pairs = Object.entries(labels).map(([label, value]) => `,${label}="${value}"`);
  return `${pairs.join("")}}`;
}
