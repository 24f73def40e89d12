import type { JsonObject } from "../../src/syntax/json.ts";
import { type Got, listIn, objectIn, type TestEmulator } from "./emulator.ts";

/** Sends a document of GraphQL to the analytics. */
export function query(
  world: TestEmulator,
  document: string,
  variables: JsonObject = {},
  token?: string,
): Promise<Got> {
  return world.call("POST", "/graphql", { query: document, variables }, token);
}

/** The zones in an answer without errors. */
export function zonesOf({ body }: Got): readonly JsonObject[] {
  if (body["errors"] !== null) throw new Error(JSON.stringify(body["errors"]));
  return listIn(objectIn(objectIn(body["data"])["viewer"])["zones"]);
}

/** The rows of a dataset of the first zone in an answer without errors. */
export function rowsOf(answer: Got, dataset: string): readonly JsonObject[] {
  return listIn(zonesOf(answer)[0]?.[dataset]);
}

/** The errors of an answer. */
export function analyticsErrors({ body }: Got): readonly JsonObject[] {
  return listIn(body["errors"]);
}

/** A document that asks one dataset of zones for what `selection` names. */
export function documentFor(
  zoneIds: readonly string[],
  dataset: string,
  { filter = "", selection = "count", limit = 10_000, orderBy = "" }: Partial<DatasetQuery>,
): string {
  const zones = zoneIds.map((id) => JSON.stringify(id)).join(" ");
  const order = orderBy === "" ? "" : `orderBy: [${orderBy}]`;
  return `{ viewer { zones(filter: { zoneTag_in: [${zones}] }) {
    ${dataset}(limit: ${limit}, filter: { ${filter} } ${order}) { ${selection} }
  } } }`;
}

/** Parts of a query, in the words of GraphQL. */
interface DatasetQuery {
  readonly filter: string;
  readonly selection: string;
  readonly limit: number;
  readonly orderBy: string;
}
