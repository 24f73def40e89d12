import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

import { Ajv } from "ajv";
import { parse } from "yaml";

import { type Json, type JsonObject, isJsonObject } from "../../src/syntax/json.ts";
import { chart } from "../deploy/chart.ts";

const root = path.resolve(import.meta.dirname, "../..");
const validate = new Ajv({ allowUnionTypes: true }).compile(objectIn("values.schema.json"));
const verbs = ["template", "upgrade"];
const options = ["--install", "--values", "--set", "--set-file"];

function objectIn(name: string): JsonObject {
  const value: unknown = parse(readFileSync(path.join(chart, name), "utf8"));
  return isJsonObject(value) ? value : {};
}

/** What is wrong with values of the chart that a document shows. */
export function mistakesInValues(values: JsonObject): readonly string[] {
  return validate(values) ? [] : [JSON.stringify(validate.errors)];
}

/** What is wrong with a call of helm that a document shows: a command, an option, a path or a value that is not there. */
export function mistakesInHelm(args: readonly string[]): readonly string[] {
  const rest = args[0] === "-n" && args[1] === "zonewarden" ? args.slice(2) : args;
  const named = rest.filter((word) => word.startsWith("--"));
  const charts = rest.filter((word) => word.startsWith("../zonewarden/"));
  const set = rest.filter((_, at) => rest[at - 1]?.startsWith("--set") === true);
  return [
    ...(verbs.includes(rest[0] ?? "") ? [] : [rest[0] ?? ""]),
    ...named.filter((option) => !options.includes(option)),
    ...charts.filter((each) => !existsSync(path.join(root, each.replace("../zonewarden/", "")))),
    ...set.flatMap((each) => mistakesInValues(valueOf(each.replace(/=.*$/s, "")))),
  ];
}

/** The value that a name of `--set` stands for, `zones.files.shop\\.yaml` for example: a dot of a key has a backslash. */
function valueOf(name: string): JsonObject {
  const [first = "", ...rest] = name.split(/(?<!\\)\./).map((key) => key.replaceAll("\\", ""));
  const inner = rest.reduceRight<Json>((value, key) => ({ [key]: value }), "");
  return { [first]: inner };
}
