import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";

import { describe, it } from "vitest";

import { anchorOf } from "../deploy/site/markdown-html.ts";
import { factsOfPhase, rulePhases } from "../src/zone/rule-phase.ts";
import { documentParts, placeOf } from "./support/document-parts.ts";

const root = path.resolve(import.meta.dirname, "..");
const documents = globSync(["*.md", "{docs,deploy,src,schemas}/**/*.md"], { cwd: root }).toSorted();
const readme = textOf("README.md");

function textOf(file: string): string {
  return readFileSync(path.join(root, file), "utf8");
}

function anchorsOf(file: string): readonly string[] {
  return [...textOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));
}

/** Links of a document that lead nowhere. */
function deadLinksIn(file: string): readonly string[] {
  const links = [...textOf(file).matchAll(/\]\((?<to>[^)\s]+)\)/g)].map(([, to = ""]) => to);
  return links.filter((to) => {
    if (/^https?:/.test(to)) return false;
    const [name = "", anchor] = to.split("#");
    const target = name === "" ? file : path.join(path.dirname(file), name);
    if (!existsSync(path.join(root, target))) return true;
    return anchor !== undefined && !anchorsOf(target).includes(anchor);
  });
}

describe("the documents", () => {
  it("contain what the program prints (npm run generate)", async ({ expect }) => {
    for (const part of await documentParts()) {
      expect(placeOf(part).exec(textOf(part.file))?.groups?.["text"], part.name).toBe(part.text);
    }
  });

  it.for(documents)("%s has no dead link", (file, { expect }) => {
    expect(deadLinksIn(file)).toEqual([]);
  });

  it.for(documents.filter((file) => /^docs\/|^[A-Z]+\.md$/.test(file)))(
    "%s has a title, and a purpose in its first sentence",
    (file, { expect }) => {
      expect(textOf(file)).toMatch(/^# \S.*\n\n[A-Za-z`].{20,}/);
    },
  );

  it("docs/README.md lists every page", ({ expect }) => {
    const pages = globSync("docs/*.md", { cwd: root }).map((file) => path.basename(file));
    const listed = [...textOf("docs/README.md").matchAll(/^\| \[[^\]]+\]\(([^)]+)\)/gm)];
    expect(new Set(listed.map(([, to]) => to))).toEqual(
      new Set(pages.filter((page) => page !== "README.md")),
    );
  });
});

describe("docs/architecture.md", () => {
  it("names functions that are in the files that it names", ({ expect }) => {
    const rows = textOf("docs/architecture.md").matchAll(
      /^\| \d+ \| `(?<file>[^`]+)` \| `(?<name>\w+)` \|/gm,
    );
    const steps = [...rows].map(({ groups = {} }) => ({ file: "", name: "", ...groups }));
    expect(steps.length).toBeGreaterThan(15);
    const isMissing = ({ file, name }: (typeof steps)[number]): boolean =>
      !existsSync(path.join(root, file)) ||
      !new RegExp(`(?:function|class) ${name}\\b|^  (?:async )?${name}\\(`, "m").test(textOf(file));
    expect(steps.filter(isMissing)).toEqual([]);
  });
});

describe("docs/architecture.md, about phases", () => {
  const [, list = ""] =
    /^## A phase of rules\n(.*?)^## /ms.exec(textOf("docs/architecture.md")) ?? [];
  const listed = [...list.matchAll(/^- `([^`]+)`/gm)].map(([, file = ""]) => file);
  const names = rulePhases.map((phase) => {
    const { wire, kind } = factsOfPhase(phase);
    return new RegExp(`\\b(${phase}|${kind}|${wire})\\b`);
  });
  const mentionsAll = (text: string): boolean => names.every((name) => name.test(text));
  // Examples are of one phase each. Types of zone files are made from their schema.
  const isExempt = (file: string): boolean =>
    file.endsWith("/diagnostic-examples.ts") || textOf(file).startsWith("// Made from schemas/");

  it("lists the files that name every phase: at most 8", ({ expect }) => {
    const files = globSync(["src/**/*.ts", "schemas/*.json"], { cwd: root });
    const found = files.filter((file) => mentionsAll(textOf(file)) && !isExempt(file));
    const ofEmulator = /^src\/emulator\/|\/emulator-/;
    expect(found.filter((file) => !ofEmulator.test(file)).toSorted()).toEqual(
      listed.filter((file) => !ofEmulator.test(file)).toSorted(),
    );
    expect(found).toEqual(expect.arrayContaining(listed));
    expect(listed.length).toBeLessThanOrEqual(8);
  });

  it("knows a text that names every phase, in any of its names", ({ expect }) => {
    expect(mentionsAll('["custom_rule", "http_ratelimit", "managed_rules"]')).toBe(true);
    expect(mentionsAll('["custom_rule", "managed_rules"]')).toBe(false);
  });
});

describe("docs/monitoring.md", () => {
  it("lists every reason of a notification", ({ expect }) => {
    const source = /NotificationReason =\n(?<reasons>(?: {2}\| "\w+";?\n)+)/.exec(
      textOf("src/notify/notification.ts"),
    );
    const reasons = source?.groups?.["reasons"]?.match(/\w+/g) ?? [];
    const rows = textOf("docs/monitoring.md").matchAll(/^\| `([A-Z][A-Za-z]+)` \|/gm);
    expect(new Set([...rows].map(([, reason]) => reason))).toEqual(new Set(reasons));
  });
});

describe("the table of log messages", () => {
  it("has messages that the program logs", ({ expect }) => {
    const files = [
      "src/telemetry/log/log-reports.ts",
      "src/telemetry/log/log-steps.ts",
      "src/daemon/leadership.ts",
      "src/daemon/endpoints.ts",
    ];
    const source = files.map(textOf).join("");
    const [, log = ""] = /^## Log\n(.*?)^## /ms.exec(textOf("docs/monitoring.md")) ?? [];
    const messages = [...log.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, message = ""]) => message),
    );
    expect(messages.length).toBeGreaterThan(10);
    expect(messages.filter((message) => !source.includes(`"${message}"`))).toEqual([]);
  });
});

describe("the facts of the service", () => {
  it("name their sources, and no source is left over", ({ expect }) => {
    const text = textOf("src/api/SERVICE.md");
    const defined = [...text.matchAll(/^\[([^\]]+)\]: https:\/\/\S+$/gm)].map(([, name]) => name);
    const prose = text.replaceAll(/^\[.*$|`[^`]*`/gm, "");
    const named = [...prose.matchAll(/\[([^\][]+)\](?:\[([^\][]+)\])?/g)].map(
      ([, words, name]) => name ?? words,
    );
    expect(new Set(named)).toEqual(new Set(defined));
  });
});

function wordsIn(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

describe("the pages of docs/", () => {
  it("have at most 30,000 words together", ({ expect }) => {
    const pages = documents.filter((file) => /^docs\/[^/]+$/.test(file));
    expect(pages.length).toBeGreaterThan(20);
    const words = pages.map((file) => wordsIn(textOf(file)));
    expect(words.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(30_000);
  });
});

describe("the README", () => {
  it("has at most 1,500 words", ({ expect }) => {
    expect(wordsIn(readme)).toBeLessThanOrEqual(1_500);
  });

  it.for(["npm ci && npm start", "npm ci && npm test"])(
    "names %s near its top",
    (command, { expect }) => {
      expect(readme.slice(0, 1_800)).toContain(command);
    },
  );
});
