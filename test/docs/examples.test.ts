import { existsSync } from "node:fs";
import path from "node:path";

import { describe, it } from "vitest";
import { parse } from "yaml";

import { loadConfig } from "../../src/desired/config/load-config.ts";
import { cronMistake } from "../../src/reconcile/schedule/schedule.ts";
import { isJsonObject, type JsonObject } from "../../src/syntax/json.ts";
import { metricTable } from "../../src/telemetry/metrics/metric-table.ts";
import { alertsIn, readRules } from "../deploy/rules.ts";
import {
  type CodeBlock,
  codeBlocksOf,
  codeSpansOf,
  documents,
  documentText,
} from "../support/code-blocks.ts";
import { linesOf, loadText } from "../support/desired.ts";
import { memoryFiles } from "../support/memory-files.ts";
import { problemLine } from "../support/problem-line.ts";
import { keyPaths } from "../support/schema-keys.ts";
import { isOption, unknownIn } from "./command-names.ts";
import { mistakesInKustomization } from "./deploy-examples.ts";
import { ExampleShell } from "./example-shell.ts";

const root = path.resolve(import.meta.dirname, "../..");
const blocks = documents.flatMap((file) => codeBlocksOf(file));
const examples = blocks.filter(({ reason, isGenerated }) => reason === "" && !isGenerated);
const alerts = alertsIn(readRules()).map(({ name }) => name);

/** What is wrong with a YAML file in a document, by the kind of file that it is. */
async function mistakesInYaml(text: string): Promise<readonly string[]> {
  const value: unknown = parse(text);
  if (!isJsonObject(value)) return ["not a map"];
  if ("zones" in value || "profiles" in value) return linesOf(await loadText(text));
  if (text.startsWith("# kustomization.yaml")) return mistakesInKustomization(value);
  if ("inhibit_rules" in value) return mistakesInInhibition(value);
  return mistakesInConfig(text);
}

async function mistakesInConfig(text: string): Promise<readonly string[]> {
  const { port: files } = memoryFiles({ "/zonewarden.yaml": text });
  const signal = AbortSignal.timeout(20_000);
  const { diagnostics } = await loadConfig("/zonewarden.yaml", { files, cronMistake }, signal);
  return diagnostics.map((diagnostic) => problemLine(diagnostic, ""));
}

/** Alerts that an Alertmanager's configuration names and the rules do not have. */
function mistakesInInhibition(config: JsonObject): readonly string[] {
  const matchers = [...JSON.stringify(config).matchAll(/alertname=~?\\"([^"\\]+)\\"/g)];
  const named = matchers.flatMap(([, names = ""]) => names.split("|"));
  return named.filter((name) => !alerts.some((alert) => new RegExp(`^${name}$`).test(alert)));
}

/** What is wrong with a code span: a command, a key, a metric or a path that is not there. */
function isUnknown(span: string): boolean {
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

/** The addresses of the emulator and the daemon that the text of a document names. */
function addressesIn(file: string): readonly string[] {
  const found = documentText(file).match(/(?<=<)http:\/\/127\.0\.0\.1:[^>]+(?=>)/g);
  return found ?? [];
}

describe("the examples in the documents", () => {
  it("are all run, but for these", ({ expect }) => {
    const skipped = blocks.filter(({ reason }) => reason !== "");
    expect(skipped.map(({ place, reason }) => `${place.replace(/:\d+$/, "")}: ${reason}`)).toEqual([
      "docs/architecture.md: a diagram",
    ]);
  });

  it("are scripts or YAML; what the program prints is generated", ({ expect }) => {
    const others = examples.filter(({ language }) => !["sh", "yaml"].includes(language));
    expect(others.map(({ place }) => place)).toEqual([]);
  });

  it.for(examplesIn("yaml"))("$place is a valid file", async ({ text }, { expect }) => {
    expect(await mistakesInYaml(text)).toEqual([]);
  });

  it.for(examplesIn("sh"))("$place runs", async ({ text, config }, { expect }) => {
    await using shell = await ExampleShell.start(config);
    expect(await shell.run(text)).toEqual([]);
  });
});

describe("the names in the documents", () => {
  it.for(documents)("%s names commands, keys, metrics and paths that exist", (file, { expect }) => {
    expect(codeSpansOf(file).filter(isUnknown)).toEqual([]);
  });

  it("are alerts that exist", ({ expect }) => {
    const named = documents.flatMap((file) => [
      ...(documentText(file).match(/\bZonewarden[A-Z]\w+(?!\w*\.)/g) ?? []),
    ]);
    expect(named.filter((name) => !alerts.includes(name))).toEqual([]);
  });

  it("are addresses that answer, and endpoints that exist", async ({ expect }) => {
    await using shell = await ExampleShell.start("");
    const endpoints = [
      ...documentText("docs/operations.md").matchAll(/^\| GET \| (`\/[^|]+`) \|/gm),
    ].flatMap(([, paths = ""]) => [...paths.matchAll(/`([^`]+)`/g)].map(([, each = ""]) => each));
    const addresses = [
      ...documents.flatMap(addressesIn),
      ...endpoints.map(
        (each) => `http://127.0.0.1:9464${each.replace("{name}", "shop.example.com")}`,
      ),
    ];
    expect(endpoints.length).toBeGreaterThan(10);
    const dead: string[] = [];
    for (const address of addresses) {
      const answer = await fetch(await shell.realUrl(address));
      if (!answer.ok) dead.push(`${address}: ${answer.status}`);
      await answer.body?.cancel();
    }
    expect(dead).toEqual([]);
  });
});

function examplesIn(language: string): readonly CodeBlock[] {
  return examples.filter((block) => block.language === language);
}
