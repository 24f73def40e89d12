import { existsSync } from "node:fs";
import path from "node:path";

import { parse } from "yaml";

import { loadConfig } from "../../src/desired/config/load-config.ts";
import { loadSeed } from "../../src/emulator/seed/load-seed.ts";
import { cronError } from "../../src/reconcile/schedule/schedule.ts";
import { isJsonObject, type JsonObject } from "../../src/syntax/json.ts";
import { metricTable } from "../../src/telemetry/metrics/metric-table.ts";
import { alertsIn, readRules } from "../deploy/rules.ts";
import { linesOf, loadText } from "../support/desired.ts";
import { memoryFiles } from "../support/memory-files.ts";
import { problemLine } from "../support/problem-line.ts";
import { keyPaths } from "../support/schema-keys.ts";
import { isOption, unknownIn } from "./command-names.ts";
import { mistakesInKustomization } from "./deploy-examples.ts";
import { mistakesInForgeFile } from "./forge-examples.ts";
import { mistakesInValues } from "./helm-examples.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** The names of all alerts. */
export const alerts: readonly string[] = alertsIn(readRules()).map(({ name }) => name);

/** What is wrong with a YAML file in a document, by the kind of file that it is. */
export async function mistakesInYaml(text: string): Promise<readonly string[]> {
  const value: unknown = parse(text);
  if (!isJsonObject(value)) return ["not a map"];
  if (text.startsWith("# emulator.yaml")) return mistakesInSeed(text);
  if ("zones" in value || "profiles" in value) return linesOf(await loadText(text));
  if (text.startsWith("# values.yaml")) return mistakesInValues(value);
  if (text.startsWith("# kustomization.yaml")) return mistakesInKustomization(value);
  if ("include" in value || "repos" in value) return mistakesInForgeFile(value);
  if ("inhibit_rules" in value) return mistakesInInhibition(value);
  return mistakesInConfig(text);
}

function mistakesInSeed(text: string): readonly string[] {
  const loaded = loadSeed(text, "emulator.yaml");
  return "seed" in loaded
    ? []
    : loaded.diagnostics.map(({ line, message }) => `${line}: ${message}`);
}

async function mistakesInConfig(text: string): Promise<readonly string[]> {
  const { port: files } = memoryFiles({ "/zonewarden.yaml": text });
  const signal = new AbortController().signal;
  const { diagnostics } = await loadConfig("/zonewarden.yaml", { files, cronError }, signal);
  return diagnostics.map((diagnostic) => problemLine(diagnostic, ""));
}

/** Alerts that an Alertmanager's configuration names and the rules do not have. */
function mistakesInInhibition(config: JsonObject): readonly string[] {
  const matchers = [...JSON.stringify(config).matchAll(/alertname=~?\\"([^"\\]+)\\"/g)];
  const named = matchers.flatMap(([, names = ""]) => names.split("|"));
  return named.filter((name) => !alerts.some((alert) => new RegExp(`^${name}$`).test(alert)));
}

/** What is wrong with a code span: a command, a key, a metric or a path that is not there. */
export function isUnknown(span: string): boolean {
  const [first = "", ...words] = span.split(" ");
  if (first === "zonewarden" && words.length > 0) return unknownIn(words).length > 0;
  if (/^--[a-z-]+$/.test(first)) return !isOption(first);
  if (/^zonewarden_[a-z_]+$/.test(span)) return !metrics.has(span);
  if (/^[a-z]+\.[a-z_]+$/.test(span) && sections.has(span.split(".")[0])) return !keys.has(span);
  const isPath = /^(?:src|test|docs|deploy|schemas|config\.example)\/[^\s{<]*$/.test(span);
  return isPath && !existsSync(path.join(root, span));
}

const keys: ReadonlySet<string> = new Set(keyPaths("zonewarden"));
const sections = new Set([...keys].map((key) => key.split(".")[0]));
const metrics: ReadonlySet<string> = new Set(Object.values(metricTable).map(({ name }) => name));
