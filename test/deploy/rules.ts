import { readFileSync } from "node:fs";
import path from "node:path";

import { parse } from "yaml";

import { type JsonObject, isJsonObject } from "../../src/syntax/json.ts";
import { deploy } from "./paths.ts";

/** The file that all alerts come from. */
export const ruleFile: string = path.join(deploy, "alerts/zonewarden.rules.yaml");

/** A rule that fires. */
export interface Alert {
  readonly name: string;
  readonly expr: string;
  /** "" where it fires at once. */
  readonly wait: string;
  readonly severity: string;
  readonly annotations: JsonObject;
}

/** The rule file as it stands. */
export function readRules(): JsonObject {
  const rules: unknown = parse(readFileSync(ruleFile, "utf8"));
  if (!isJsonObject(rules)) throw new Error(`${ruleFile}: not a map`);
  return rules;
}

/** All rules of a rule file, recording and alerting, in order. */
export function rulesIn(file: JsonObject): readonly JsonObject[] {
  return objectsIn(file["groups"]).flatMap((group) => objectsIn(group["rules"]));
}

/** The rules that fire. */
export function alertsIn(file: JsonObject): readonly Alert[] {
  return rulesIn(file)
    .filter((rule) => "alert" in rule)
    .map((rule) => ({
      name: textAt(rule, "alert"),
      expr: textAt(rule, "expr"),
      wait: textAt(rule, "for"),
      severity: textAt(objectAt(rule, "labels"), "severity"),
      annotations: objectAt(rule, "annotations"),
    }));
}

/** The objects of a list; nothing where there is none. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((item) => isJsonObject(item)) : [];
}

/** The object under a key, {} where there is none. */
export function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}

/** The text under a key, "" where there is none. */
export function textAt(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === "string" ? value : "";
}
