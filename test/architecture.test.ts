import { globSync, readFileSync } from "node:fs";
import path from "node:path";

import { describe, it } from "vitest";

/** The whole architecture in one place: who may import from whom, and which package has its home where. */
const doors: Readonly<Record<string, { rooms: readonly string[]; packages: readonly string[] }>> = {
  syntax: { rooms: [], packages: [] },
  zone: { rooms: ["syntax"], packages: [] },
  plan: { rooms: ["zone", "syntax"], packages: [] },
  impact: { rooms: ["zone", "plan", "syntax"], packages: [] },
  report: { rooms: ["zone", "plan", "impact", "syntax"], packages: [] },
  desired: { rooms: ["zone", "syntax"], packages: ["yaml", "ajv", "chokidar"] },
  api: { rooms: ["zone", "plan", "syntax"], packages: ["undici"] },
  reconcile: { rooms: ["zone", "plan", "impact", "report", "syntax"], packages: ["node-cron"] },
  telemetry: { rooms: ["zone", "plan", "report", "syntax"], packages: ["pino", "prom-client"] },
  web: { rooms: ["zone", "plan", "report"], packages: ["hono", "@hono/node-server"] },
  // A remote of its own, beside the service.
  notify: { rooms: ["report", "syntax"], packages: ["undici"] },
  emulator: { rooms: ["api", "syntax"], packages: ["hono", "@hono/node-server", "yaml", "ajv"] },
  cli: {
    rooms: [
      "syntax",
      "zone",
      "plan",
      "impact",
      "report",
      "desired",
      "api",
      "reconcile",
      "telemetry",
      "web",
      "notify",
      "emulator",
    ],
    packages: ["commander", "cli-table3"],
  },
  "main.ts": { rooms: ["cli"], packages: [] },
};

/** Rooms that compute and nothing else: no clock, no random, no file, no socket. */
const pure = ["syntax", "zone", "plan", "impact", "report"];

const source = path.resolve(import.meta.dirname, "../src");
const files = globSync("**/*.ts", { cwd: source }).toSorted();

interface Imports {
  readonly rooms: readonly string[];
  readonly packages: readonly string[];
  readonly builtins: readonly string[];
}

function roomOf(file: string): string {
  return file.split(path.sep)[0] ?? file;
}

/** Reads the specifiers of static and dynamic imports and of re-exports. */
function specifiersIn(text: string): string[] {
  const pattern = /(?:\bfrom\s*|\bimport\s*\(\s*|^\s*import\s+)["']([^"']+)["']/gm;
  return [...text.matchAll(pattern)].map(([, specifier = ""]) => specifier);
}

function importsOf(file: string, text: string): Imports {
  const rooms = new Set<string>();
  const packages = new Set<string>();
  const builtins = new Set<string>();
  for (const specifier of specifiersIn(text)) {
    if (specifier.startsWith("node:")) builtins.add(specifier);
    else if (specifier.startsWith(".")) {
      rooms.add(roomOf(path.relative(source, path.resolve(source, path.dirname(file), specifier))));
    } else packages.add(specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/"));
  }
  rooms.delete(roomOf(file));
  rooms.delete("..");
  return { rooms: [...rooms], packages: [...packages], builtins: [...builtins] };
}

/** What `file` imports though its room may not. */
function trespasses(file: string, text: string): string[] {
  const room = roomOf(file);
  const door = doors[room];
  if (door === undefined) return [`there is no room called ${room}`];
  const { rooms, packages, builtins } = importsOf(file, text);
  const builtinsAllowed = pure.includes(room) ? ["node:crypto", "node:util"] : builtins;
  return [
    ...rooms.filter((name) => !door.rooms.includes(name)),
    ...packages.filter((name) => !door.packages.includes(name)),
    ...builtins.filter((name) => !builtinsAllowed.includes(name)),
    ...(room === "emulator" ? emulatorTrespasses(text) : []),
    ...(pure.includes(room) ? impurities(text) : []),
  ];
}

/** The emulator knows the service, not its client: of `api` it may see the wire and nothing else. */
function emulatorTrespasses(text: string): string[] {
  return specifiersIn(text).filter((name) => name.includes("/api/") && !name.endsWith("/wire.ts"));
}

function impurities(text: string): string[] {
  const forbidden =
    /\b(Date\.now\(|new Date\(\)|Math\.random\(|performance\.|process\.|setTimeout\(|console\.)/g;
  return [...text.matchAll(forbidden)].map(([found]) => found);
}

function page(file: string): string {
  return readFileSync(path.join(source, "..", file), "utf8");
}

/** What only tests import, since it is told more simply by itself than through what uses it. */
const seenByTestsAlone = [
  "api/client.ts longestAnswer",
  "cli/program.ts createProgram",
  "cli/stopping.ts graceMs",
  "desired/schema.ts schemaText",
  "emulator/dialect.ts dialects",
  "notify/notifier.ts graceMs",
  "reconcile/backoff.ts zoneBackoff",
  "reconcile/backoff.ts backoffMs",
  "report/drift-time.ts driftEpisodes",
  "report/summary.ts changesOf",
  "syntax/csp-cover.ts covers",
  "syntax/csp.ts printCsp",
  "telemetry/metric-table.ts renderMetricTable",
  "web/page-parts.ts relative",
  "zone/managed-ruleset.ts managedRulesets",
];

/** Values that a file exports, as `plan/plan.ts plan`. */
function exportsOf(file: string, text: string): string[] {
  const pattern = /^export (?:async )?(?:const|function\*?|class) (\w+)/gm;
  return [...text.matchAll(pattern)].map(([, name = ""]) => `${file} ${name}`);
}

/** Names that a file imports from others of ours, in the same form. */
function namesImportedBy(file: string, text: string): string[] {
  const pattern =
    /\b(?:import|export) (?:type )?\{([^}]*)\} from "(\.[^"]+)"|\{([^{}]*)\} = await import\("(\.[^"]+)"\)/g;
  return [...text.matchAll(pattern)].flatMap(([, names, from, later = "", laterFrom = ""]) => {
    const target = path.join(path.dirname(file), from ?? laterFrom);
    const words = (names ?? later).split(",").map((each) => /^\s*(?:type )?(\w+)/.exec(each)?.[1]);
    return words.map((word) => `${target} ${word}`);
  });
}

/** The sections of `src/api/SERVICE.md` that can be cited: those that are not only the head of others. */
function sectionsOfFacts(): readonly string[] {
  const titles = [...page("src/api/SERVICE.md").matchAll(/^#{2,3} (.+)$/gm)].map(
    ([, title = ""]) => title,
  );
  const names = titles.map((title) => /^[A-Z](?:\.\d)?(?=\.? )/.exec(title)?.[0] ?? title);
  return names.filter((name) => !names.some((other) => other.startsWith(`${name}.`)));
}

/** The sections that a text cites, as `SERVICE.md B.4 and B.5`; "" for a mention that names none. */
function citedIn(text: string): readonly string[] {
  const pattern =
    /(?<!\/)SERVICE\.md(?: (?<list>[A-Z](?:\.\d)?\b(?:(?:, | and )[A-Z]\.\d)*)|, (?<title>[A-Z]\w+ \w+))?/g;
  return [...text.matchAll(pattern)].flatMap(
    ({ groups }) => groups?.["list"]?.split(/, | and /) ?? [groups?.["title"] ?? ""],
  );
}

describe("the house", () => {
  it.for(files)("%s uses only the doors of its room", (file, { expect }) => {
    expect(trespasses(file, readFileSync(path.join(source, file), "utf8"))).toEqual([]);
  });

  it.for([
    { file: "plan/plan.ts", text: 'import { send } from "../api/client.ts";', finds: "api" },
    { file: "plan/plan.ts", text: 'import type { A } from "../api/client.ts";', finds: "api" },
    { file: "plan/plan.ts", text: 'export * from "../web/page.ts";', finds: "web" },
    { file: "report/text.ts", text: 'const { a } = await import("../cli/a.ts");', finds: "cli" },
    { file: "zone/zone.ts", text: 'import { parse } from "yaml";', finds: "yaml" },
    { file: "zone/zone.ts", text: 'import "node:fs";', finds: "node:fs" },
    { file: "plan/guard.ts", text: "const at = Date.now();", finds: "Date.now(" },
    { file: "reconcile/queue.ts", text: 'import { request } from "undici";', finds: "undici" },
    {
      file: "emulator/app.ts",
      text: 'import { send } from "../api/client.ts";',
      finds: "../api/client.ts",
    },
    { file: "web/page.ts", text: 'import { serve } from "@hono/other";', finds: "@hono/other" },
    { file: "helpers/text.ts", text: "", finds: "there is no room called helpers" },
  ])("notices $finds in $file", ({ file, text, finds }, { expect }) => {
    expect(trespasses(file, text)).toContain(finds);
  });

  it("is told as it is: which rooms are pure", ({ expect }) => {
    const contributing = page("CONTRIBUTING.md");
    const marked = [...contributing.matchAll(/^  (\w+)\/ .*\(pure\)$/gm)];
    expect(new Set(marked.map(([, room]) => room))).toEqual(new Set(pure));
    const [rule = ""] = /^2\. .*$/m.exec(contributing) ?? [];
    const named = [...rule.matchAll(/`(\w+)`/g)].map(([, room]) => room);
    expect(new Set(named)).toEqual(new Set(pure));
  });

  it("rests on facts of the service that are told, and tells none that nothing rests on", ({
    expect,
  }) => {
    const root = path.join(source, "..");
    const ours = globSync("{src,test}/**/*.ts", { cwd: root }).filter(
      (file) => file !== path.relative(root, import.meta.filename),
    );
    const cited = ours.flatMap((file) =>
      citedIn(page(file)).map((section) => ({ section, file }) as const),
    );
    const sections = sectionsOfFacts();
    expect(cited.filter(({ section }) => !sections.includes(section))).toEqual([]);
    const used = new Set(cited.map(({ section }) => section));
    expect(sections.filter((section) => !used.has(section))).toEqual([]);
  });

  it.for([
    { text: "a limit (SERVICE.md B.5)", cites: ["B.5"] },
    { text: "by SERVICE.md A.6, B.3 and B.4. It", cites: ["A.6", "B.3", "B.4"] },
    { text: "white space (SERVICE.md D)", cites: ["D"] },
    { text: "either (SERVICE.md, Two descriptions)", cites: ["Two descriptions"] },
    { text: "as SERVICE.md says", cites: [""] },
  ])("reads what “$text” cites", ({ text, cites }, { expect }) => {
    expect(citedIn(text)).toEqual(cites);
  });

  it("has no file over 300 lines", ({ expect }) => {
    const long = files.filter(
      (file) => readFileSync(path.join(source, file), "utf8").split("\n").length > 301,
    );
    expect(long).toEqual([]);
  });

  it("exports no value that nobody imports", ({ expect }) => {
    const texts = files.map(
      (file) => [file, readFileSync(path.join(source, file), "utf8")] as const,
    );
    const imported = new Set(texts.flatMap(([file, text]) => namesImportedBy(file, text)));
    const exported = texts.flatMap(([file, text]) => exportsOf(file, text));
    expect(exported.length).toBeGreaterThan(500);
    expect(exported.filter((name) => !imported.has(name))).toEqual(seenByTestsAlone);
  });
});
