import type { FragmentDefinitionNode, GraphQLResolveInfo, SelectionSetNode } from "graphql";

import { coerceObject, coerceTexts, type JsonObject } from "../../syntax/json.ts";
import { isPermitted, permissions, reachesZone } from "../http/access.ts";
import type { EndpointCall } from "../http/api-endpoint.ts";
import type { DatasetSettings, EmulatedZone } from "../state.ts";
import { analyticsError, badArguments } from "./analytics-error.ts";
import {
  type Dataset,
  datasets,
  maxNumberOfFields,
  settingsOf,
  timeDimensions,
} from "./datasets.ts";
import { rowFilter } from "./row-filter.ts";
import { eventsOf, groupsOf, orderedName, type Row } from "./select-rows.ts";
import type { TimeRange } from "./traffic.ts";

/** Most zones in a query, and most zones times datasets: the service does not publish the latter. */
const maxZones = 10;
const maxCost = 10;

type Resolver<T> = (args: JsonObject, context: unknown, info: GraphQLResolveInfo) => T;

/** The root of what a query selects; resolvers throw `GraphQLError`s. */
export function analyticsRoot(call: EndpointCall): Readonly<Record<string, unknown>> {
  let cost = 0;
  const zones: Resolver<readonly unknown[]> = (args, _context, info) => {
    const found = zonesIn(call, args);
    const names = new Set(datasets.map(({ name }) => name));
    const nodes = selectedIn(info).filter(({ path }) => names.has(path)).length;
    cost += found.length * nodes;
    if (found.length > maxZones || cost > maxCost) {
      const message = "in combination, your request queries too many nodes, zones and accounts";
      throw analyticsError(429, message, "quota");
    }
    return found.map((zone, index) => zoneNode(call, zone, index));
  };
  return { viewer: { zones } };
}

function zonesIn({ store, token }: EndpointCall, { filter }: JsonObject): readonly EmulatedZone[] {
  const { zoneTag, zoneTag_in: several } = coerceObject(filter);
  const tags = new Set([...coerceTexts(several), ...coerceTexts([zoneTag])]);
  if (tags.size === 0) throw badArguments("zones", "filter needs zoneTag or zoneTag_in");
  const isReader = isPermitted(token, permissions.analyticsRead);
  const zones = [...tags].map((tag) => ({ tag, zone: store.zone(tag) }));
  const denied = zones.filter(
    ({ zone }) => zone === undefined || !isReader || !reachesZone(store, token, zone),
  );
  if (denied.length > 0) {
    const names = denied.map(({ tag }) => tag).join(" ");
    throw analyticsError(403, `zones [${names}] are not authorized`, "authz");
  }
  return zones.flatMap(({ zone }) => zone ?? []);
}

function zoneNode(call: EndpointCall, zone: EmulatedZone, index: number): Row {
  const rows = datasets.map((dataset): [string, Resolver<readonly Row[]>] => [
    dataset.name,
    (args, _context, info) => {
      if (index !== call.analyticsFaults.failedZone) return rowsOf(call, zone, dataset, args, info);
      throw analyticsError(503, "unable to execute query, please try again later");
    },
  ]);
  return {
    zoneTag: zone.id,
    settings: Object.fromEntries(datasets.map((each) => [each.name, shownSettings(each, zone)])),
    ...Object.fromEntries(rows),
  };
}

function shownSettings(dataset: Dataset, zone: EmulatedZone): Row {
  const settings = settingsOf(dataset, zone);
  const refused = dataset.refused(zone);
  const prefix = dataset.isGroups ? "dimensions_" : "";
  const dimensions = [...Object.keys(timeDimensions), ...Object.keys(dataset.dimensions)]
    .filter((name) => !refused.includes(name))
    .map((name) => `${prefix}${name}`);
  const others = dataset.isGroups ? ["avg_sampleInterval", "count"] : ["sampleInterval"];
  const availableFields = settings.enabled ? [...others, ...dimensions].toSorted() : [];
  return { ...settings, maxNumberOfFields, availableFields };
}

function rowsOf(
  { protections, now, analyticsFaults }: EndpointCall,
  zone: EmulatedZone,
  dataset: Dataset,
  args: JsonObject,
  info: GraphQLResolveInfo,
): readonly Row[] {
  const settings = settingsOf(dataset, zone);
  if (!settings.enabled) {
    throw analyticsError(403, `zone '${zone.id}' does not have access to the path`, "authz");
  }
  const selected = selectedIn(info);
  const prefix = dataset.isGroups ? "dimensions." : "";
  const dimensions = selected
    .filter(({ path, isLeaf }) => isLeaf && path.startsWith(prefix))
    .map(({ path }) => path.slice(prefix.length))
    .filter((name) => name in timeDimensions || name in dataset.dimensions);
  const filter = rowFilter(dataset, coerceObject(args["filter"]));
  const orderBy = coerceTexts([args["orderBy"]].flat());
  refuseFields(dataset, zone, [...dimensions, ...filter.names, ...orderBy.map(orderedName)]);
  if (selected.filter(({ isLeaf }) => isLeaf).length > maxNumberOfFields) {
    throw analyticsError(400, `number of fields can't be more than ${maxNumberOfFields}`);
  }
  const limit = limitIn(args, settings);
  refuseTime(filter, settings, now);
  const to = Math.min(filter.to, now.getTime() - (analyticsFaults.lateMs ?? 0));
  const history = protections.of(zone);
  const query = {
    dataset,
    history,
    filter: { ...filter, to },
    dimensions,
    orderBy,
    limit,
  };
  return dataset.isGroups ? groupsOf(query) : eventsOf(query);
}

function refuseFields(dataset: Dataset, zone: EmulatedZone, names: readonly string[]): void {
  const refused = dataset.refused(zone).find((name) => names.includes(name));
  if (refused === undefined) return;
  const field = refused.toLowerCase();
  throw analyticsError(
    403,
    `zone '${zone.id}' does not have access to the field '${field}' from the path`,
    "authz",
  );
}

function limitIn({ limit }: JsonObject, { maxPageSize }: DatasetSettings): number {
  if (typeof limit === "number" && Number.isInteger(limit) && limit > 0 && limit <= maxPageSize) {
    return limit;
  }
  throw analyticsError(
    400,
    `limit must be positive number and not greater than ${maxPageSize}`,
    "quota",
  );
}

function refuseTime(
  { from, to }: TimeRange,
  { notOlderThan, maxDuration }: DatasetSettings,
  now: Date,
): void {
  if (from < now.getTime() - 1_000 * notOlderThan) {
    const back = durationText(notOlderThan);
    throw analyticsError(400, `cannot request data older than ${back}`, "quota");
  }
  if (Math.min(to, now.getTime()) - from <= 1_000 * maxDuration) return;
  throw analyticsError(
    400,
    `query time range is too large. Time range can't be wider than ${maxDuration}s`,
    "quota",
  );
}

/** Seconds as the service writes them: `1w1d`. */
function durationText(seconds: number): string {
  let rest = seconds;
  let text = "";
  for (const [unit, length] of durationUnits) {
    const count = Math.floor(rest / length);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * length;
  }
  return text;
}

const durationUnits = [
  ["w", 604_800],
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
  ["s", 1],
] as const;

interface Selected {
  /** Names of fields from the resolved one on, separated by dots. */
  readonly path: string;
  readonly isLeaf: boolean;
}

/** The fields below the one that is resolved; a field that is selected twice is there twice. */
function selectedIn({ fieldNodes, fragments }: GraphQLResolveInfo): readonly Selected[] {
  return fieldNodes.flatMap(({ selectionSet }) => selectedBelow(selectionSet, fragments, ""));
}

function selectedBelow(
  set: SelectionSetNode | undefined,
  fragments: Readonly<Record<string, FragmentDefinitionNode | undefined>>,
  prefix: string,
): readonly Selected[] {
  return (set?.selections ?? []).flatMap((selection) => {
    switch (selection.kind) {
      case "Field": {
        const path = `${prefix}${selection.name.value}`;
        const isLeaf = selection.selectionSet === undefined;
        return [{ path, isLeaf }, ...selectedBelow(selection.selectionSet, fragments, `${path}.`)];
      }
      case "InlineFragment":
        return selectedBelow(selection.selectionSet, fragments, prefix);
      case "FragmentSpread":
        return selectedBelow(fragments[selection.name.value]?.selectionSet, fragments, prefix);
    }
  });
}
