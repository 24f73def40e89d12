import { globSync, readFileSync } from "node:fs";
import path from "node:path";

import { type JsonObject, isJsonObject } from "../../src/syntax/json.ts";
import { deploy } from "./paths.ts";
import { objectAt, objectsIn, textAt } from "./rules.ts";

/** The dashboards, by the names of their files. */
export const dashboards: readonly { readonly file: string; readonly dashboard: JsonObject }[] =
  globSync("*.json", { cwd: path.join(deploy, "dashboards") })
    .toSorted()
    .map((file) => ({ file, dashboard: readDashboard(file) }));

function readDashboard(file: string): JsonObject {
  const dashboard: unknown = JSON.parse(
    readFileSync(path.join(deploy, "dashboards", file), "utf8"),
  );
  if (!isJsonObject(dashboard)) throw new Error(`${file}: not an object`);
  return dashboard;
}

/** Every PromQL expression of a dashboard: of its panels, annotations and variables. */
export function expressionsOf(dashboard: JsonObject): readonly string[] {
  const panels = objectsIn(dashboard["panels"]).flatMap((panel) => objectsIn(panel["targets"]));
  const annotations = objectsIn(objectAt(dashboard, "annotations")["list"]);
  const variables = objectsIn(objectAt(dashboard, "templating")["list"]).map((variable) =>
    textAt(objectAt(variable, "query"), "query").replace(/^label_values\((.*), \w+\)$/, "$1"),
  );
  return [
    ...[...panels, ...annotations].map((target) => textAt(target, "expr")),
    ...variables.filter((query) => query !== ""),
  ];
}
