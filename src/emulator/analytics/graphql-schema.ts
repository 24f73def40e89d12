import { buildSchema, type GraphQLSchema } from "graphql";

import { type Dataset, datasets, timeDimensions } from "./datasets.ts";
import { textOperators, timeOperators } from "./row-filter.ts";

let built: GraphQLSchema | undefined;

/** The schema of the analytics, built when it is first used. */
export function analyticsSchema(): GraphQLSchema {
  built ??= buildSchema(schemaText());
  return built;
}

function schemaText(): string {
  const settings = datasets.map(({ name }) => `${name}: settings`);
  const fields = datasets.map(
    (dataset) =>
      `${dataset.name}(filter: ${filterName(dataset)}, limit: uint64, orderBy: [${orderName(dataset)}!]): [${rowName(dataset)}!]`,
  );
  return `
    scalar string
    scalar uint64
    scalar float64
    scalar bool
    scalar Time
    scalar Date
    schema { query: query }
    type query { viewer: viewer }
    type viewer { zones(filter: ZoneFilter_InputObject!, limit: uint64): [zone!] }
    input ZoneFilter_InputObject { zoneTag: string zoneTag_in: [string!] }
    type zone { zoneTag: string! settings: zoneSettings ${fields.join("\n")} }
    type zoneSettings { ${settings.join("\n")} }
    type settings {
      enabled: bool!
      notOlderThan: uint64!
      maxDuration: uint64!
      maxPageSize: uint64!
      maxNumberOfFields: uint64!
      availableFields: [string!]!
    }
    ${datasets.map(datasetTypes).join("\n")}
  `;
}

function datasetTypes(dataset: Dataset): string {
  const texts = Object.keys(dataset.dimensions);
  const times = Object.keys(timeDimensions);
  const values = [
    ...times.map((name) => `${name}: ${timeType(name)}!`),
    ...texts.map((name) => `${name}: string!`),
  ];
  const filters = [
    ...times.flatMap((name) => timeOperators.map((each) => inputOf(name, each, timeType(name)))),
    ...texts.flatMap((name) => textOperators.map((each) => inputOf(name, each, "string"))),
  ];
  const ordered = [...times, ...texts, ...(dataset.isGroups ? ["count"] : [])];
  const row = rowName(dataset);
  const types = dataset.isGroups
    ? `type ${row} { count: uint64! avg: ${row}Avg dimensions: ${row}Dimensions }
       type ${row}Avg { sampleInterval: float64! }
       type ${row}Dimensions { ${values.join("\n")} }`
    : `type ${row} { sampleInterval: uint64! ${values.join("\n")} }`;
  const filter = filterName(dataset);
  return `
    ${types}
    input ${filter} { AND: [${filter}!] OR: [${filter}!] ${filters.join("\n")} }
    enum ${orderName(dataset)} { ${ordered.flatMap((name) => [`${name}_ASC`, `${name}_DESC`]).join(" ")} }
  `;
}

function inputOf(name: string, operator: string, type: string): string {
  const isList = operator === "_in" || operator === "_notin";
  return `${name}${operator}: ${isList ? `[${type}!]` : type}`;
}

function timeType(name: string): string {
  return name === "date" ? "Date" : "Time";
}

function rowName({ name }: Dataset): string {
  return `Zone${capitalized(name)}`;
}

function filterName({ name }: Dataset): string {
  return `${capitalized(name)}Filter_InputObject`;
}

function orderName({ name }: Dataset): string {
  return `${capitalized(name)}OrderBy`;
}

function capitalized(name: string): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}
