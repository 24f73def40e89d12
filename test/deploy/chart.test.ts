import { globSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

import { Ajv } from "ajv";
import { describe, it } from "vitest";
import { parse } from "yaml";

import { version } from "../../src/host/version.ts";
import { type JsonObject, isJsonObject } from "../../src/syntax/json.ts";
import { chart } from "./chart.ts";
import { objectAt } from "./rules.ts";

function readYaml(name: string): JsonObject {
  const value: unknown = parse(readFileSync(path.join(chart, name), "utf8"));
  if (!isJsonObject(value)) throw new Error(`${name}: not a map`);
  return value;
}

const values = readYaml("values.yaml");
const schema = readYaml("values.schema.json");

it("has a schema that Helm can read: its expressions cannot look around", ({ expect }) => {
  expect(JSON.stringify(schema)).toContain('"pattern":');
  expect(JSON.stringify(schema)).not.toMatch(/\(\?<?[=!]/);
});

/** Values whose keys are names of the user or of Kubernetes: the chart passes them on. */
const passedOn = [
  "config",
  "zones.files",
  "gitSync.environment",
  "resources",
  "podSecurityContext",
];

/** The names of all values, as `ha.replicas`. */
function namesOf(map: JsonObject, prefix = ""): readonly string[] {
  return Object.entries(map).flatMap(([key, value]) => {
    const name = `${prefix}${key}`;
    const isGroup = isJsonObject(value) && Object.keys(value).length > 0;
    return isGroup && !passedOn.includes(name) ? namesOf(value, `${name}.`) : [name];
  });
}

/** The names that the schema describes, and what has no description. */
function describedIn(at: JsonObject, prefix = ""): readonly string[] {
  return Object.entries(objectAt(at, "properties")).flatMap(([key, value]) => {
    if (!isJsonObject(value)) return [];
    if (typeof value["description"] !== "string") return [`${prefix}${key} has no description`];
    return "properties" in value ? describedIn(value, `${prefix}${key}.`) : [`${prefix}${key}`];
  });
}

describe("the chart", () => {
  it("is of the version of the program", ({ expect }) => {
    expect(readYaml("Chart.yaml")).toMatchObject({ version, appVersion: version });
  });

  it("describes every value in its schema, and no other but `global`", ({ expect }) => {
    expect(new Set(describedIn(schema))).toEqual(new Set([...namesOf(values), "global"]));
  });

  it("has values that its schema accepts, and refuses unknown ones at every level", ({
    expect,
  }) => {
    const validate = new Ajv({
      strict: true,
      allowUnionTypes: true,
      strictRequired: false,
    }).compile(schema);
    expect(validate(values), JSON.stringify(validate.errors)).toBe(true);
    const groups = Object.keys(values).filter(
      (key) =>
        isJsonObject(values[key]) && "properties" in objectAt(objectAt(schema, "properties"), key),
    );
    expect(groups).toContain("image");
    for (const key of groups) {
      expect(validate({ ...values, [key]: { ...objectAt(values, key), unknown: 1 } }), key).toBe(
        false,
      );
    }
    expect(validate({ ...values, unknown: 1 })).toBe(false);
  });

  it("contains rules, dashboards and zones that are those of the manifests", ({ expect }) => {
    const files = globSync("files/*", { cwd: chart }).map((file) => path.join(chart, file));
    expect(files).toHaveLength(6);
    expect(files.every((file) => statSync(file).isFile())).toBe(true);
    const read = globSync("templates/*", { cwd: chart })
      .map((file) => readFileSync(path.join(chart, file), "utf8"))
      .join("");
    const unread = files.map((file) => path.basename(file)).filter((name) => !read.includes(name));
    expect(unread).toEqual(["fleet.json", "operations.json", "zone.json"]);
    expect(read).toContain('(printf "files/%s.json" $name)');
  });
});
