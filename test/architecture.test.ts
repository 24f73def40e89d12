import { globSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { describe, it } from "vitest";

import { isPure, moduleTable } from "./support/modules.ts";

const source = path.resolve(import.meta.dirname, "../src");
const files = globSync("**/*.ts", { cwd: source }).toSorted();

interface Imports {
  readonly modules: readonly string[];
  readonly packages: readonly string[];
  readonly builtins: readonly string[];
}

function moduleOf(file: string): string {
  return file.split(path.sep)[0] ?? file;
}

/** Reads the specifiers of static and dynamic imports and of re-exports. */
function specifiersIn(text: string): string[] {
  const pattern = /(?:\bfrom\s*|\bimport\s*\(\s*|^\s*import\s+)["']([^"']+)["']/gm;
  return [...text.matchAll(pattern)].map(([, specifier = ""]) => specifier);
}

function importsOf(file: string, text: string): Imports {
  const modules = new Set<string>();
  const packages = new Set<string>();
  const builtins = new Set<string>();
  for (const specifier of specifiersIn(text)) {
    if (specifier.startsWith("node:")) builtins.add(specifier);
    else if (specifier.startsWith(".")) {
      modules.add(
        moduleOf(path.relative(source, path.resolve(source, path.dirname(file), specifier))),
      );
    } else packages.add(specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/"));
  }
  modules.delete(moduleOf(file));
  modules.delete("..");
  return { modules: [...modules], packages: [...packages], builtins: [...builtins] };
}

/** What `file` imports though its module may not. */
function violations(file: string, text: string): string[] {
  const module = moduleOf(file);
  const rules = moduleTable[module];
  if (rules === undefined) return [`there is no module called ${module}`];
  const { modules, packages, builtins } = importsOf(file, text);
  const builtinsAllowed = isPure(module) ? ["node:crypto", "node:util"] : builtins;
  return [
    ...modules.filter((name) => !rules.imports.includes(name)),
    ...packages.filter((name) => !rules.packages.includes(name)),
    ...builtins.filter((name) => !builtinsAllowed.includes(name)),
    ...(module === "emulator" ? emulatorViolations(text) : []),
    ...(isPure(module) ? impurities(text) : []),
  ];
}

/** The emulator knows the service, not its client: of `api` it may see the wire and nothing else. */
function emulatorViolations(text: string): string[] {
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
  "api/read/parse-entrypoint.ts ruleActionOf",
  "api/request/client.ts maxAnswerBytes",
  "cli/program.ts withSafeTerminal",
  "cli/program.ts createProgram",
  "daemon/config-reload.ts liveKeys",
  "daemon/endpoints.ts workersCheck",
  "daemon/endpoints.ts commandRollout",
  "daemon/endpoints.ts storeFor",
  "desired/build-validators.ts validatorsText",
  "emulator/http/api-endpoint.ts dialects",
  "emulator/page-shield/items.ts statusOf",
  "host/shutdown.ts graceMs",
  "impact/ruleset-impact.ts noOverrides",
  "impact/ruleset-impact.ts effectiveRules",
  "memory/postgres/sql-connection.ts verifiedUrl",
  "notify/notifier.ts graceMs",
  "reconcile/fleet/suspension-overlay.ts onlySuspends",
  "reconcile/run/next-run.ts backoffMs",
  "reconcile/steps/step-state.ts digestOfDeclaration",
  "reconcile/steps/step-state.ts atStep",
  "render/diagnostic-formats.ts sentenceOf",
  "syntax/csp/csp.ts printCsp",
];

/** Values that a file exports, as `plan/plan.ts plan`. */
function exportsOf(file: string, text: string): string[] {
  const pattern = /^export (?:async )?(?:const|function\*?|class) (\w+)/gm;
  return [...text.matchAll(pattern)].map(([, name = ""]) => `${file} ${name}`);
}

/** Names that a file imports from others of ours, in the same form. */
function namesImportedBy(file: string, text: string): string[] {
  const pattern =
    /\b(?:import|export) (?:type )?\{(?<names>[^}]*)\} from "(?<from>\.[^"]+)"|\(await import\("(?<lazy>\.[^"]+)"\)\)\.(?<name>\w+)/g;
  return [...text.matchAll(pattern)].flatMap(({ groups = {} }) => {
    const { names = "", from = "", lazy = from, name = names } = groups;
    const target = path.join(path.dirname(file), lazy);
    const words = name.split(",").map((each) => /^\s*(?:type )?(\w+)/.exec(each)?.[1]);
    return words.map((word) => `${target} ${word}`);
  });
}

/** The sections of `src/api/SERVICE.md` that can be cited: those that are not only the head of others. */
function sectionsOfFacts(): readonly string[] {
  const titles = [...page("src/api/SERVICE.md").matchAll(/^#{2,3} (.+)$/gm)].map(
    ([, title = ""]) => title,
  );
  const names = titles.map((title) => /^[A-Z](?:\.\d+)?(?=\.? )/.exec(title)?.[0] ?? title);
  return names.filter((name) => !names.some((other) => other.startsWith(`${name}.`)));
}

/** The sections that a text cites, as `SERVICE.md B.4 and B.5`; "" for a mention that names none. */
function citedIn(text: string): readonly string[] {
  const pattern =
    /(?<!\/)SERVICE\.md(?: (?<list>[A-Z](?:\.\d+)?\b(?:(?:, | and )[A-Z]\.\d+)*)|, (?<title>[A-Z]\w+ \w+))?/g;
  return [...text.matchAll(pattern)].flatMap(
    ({ groups }) => groups?.["list"]?.split(/, | and /) ?? [groups?.["title"] ?? ""],
  );
}

/** The files that each file imports statically; with `types` also those of which it imports types alone. */
function importGraph(types: boolean): ReadonlyMap<string, readonly string[]> {
  const pattern =
    /^(?:import|export) (type )?(?:\{([^}]*)\}|\*(?: as \w+)?)?(?: from )?"(\.[^"]+)";$/gm;
  return new Map(
    files.map((file) => {
      const imports = [...readFileSync(path.join(source, file), "utf8").matchAll(pattern)];
      const kept = imports.filter(([, type, names]) => {
        const isType = names?.split(",").every((name) => /^\s*(?:type |$)/.test(name)) === true;
        return types || (type === undefined && !isType);
      });
      return [file, kept.map(([, , , from = ""]) => path.join(path.dirname(file), from))];
    }),
  );
}

/** The longest chain of imports from each file; throws on a cycle, with its files. */
function longestChains(graph: ReadonlyMap<string, readonly string[]>): readonly string[][] {
  const known = new Map<string, string[]>();
  const chainFrom = (file: string, importers: readonly string[]): string[] => {
    const before = known.get(file);
    if (before !== undefined) return before;
    if (importers.includes(file)) throw new Error([...importers, file].join(" → "));
    const chains = (graph.get(file) ?? []).map((each) => chainFrom(each, [...importers, file]));
    const longest = chains.reduce((a, b) => (b.length > a.length ? b : a), []);
    const chain = [file, ...longest];
    known.set(file, chain);
    return chain;
  };
  return [...graph.keys()].map((file) => chainFrom(file, []));
}

/** A reader follows a call through at most so many files. */
const maxChain = 15;

/** Words that the glossary replaced: none is part of an identifier. */
const givenUpWords = new Set(
  `allowance beside brake circumstances complaint complaints countermanded doomed follower followers hasten lane levelled
  lift look machine mistake mistakes objection objections obstacle obstacles occasion openings outdated owe premises
  problem problems refusal refusals restraint sighting sightings silence silences survey teller throttled timetable told
  verdict verdicts wish`.split(/\s+/),
);

/** Identifiers are read from the code without its comments and texts; what a template fills in counts. */
function givenUpWordsIn(text: string): readonly string[] {
  const code = text
    .replaceAll(/\/\*.*?\*\/|\/\/[^\n]*/gs, "")
    .replaceAll(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, "")
    .replaceAll(/`(?:[^`\\]|\\.)*`/gs, (template) =>
      [...template.matchAll(/\$\{([^}]*)\}/g)].join(" "),
    );
  const words = (code.match(/[A-Za-z_$]+/g) ?? []).flatMap((identifier) =>
    identifier.split(/(?=[A-Z])|[_$]/).map((word) => word.toLowerCase()),
  );
  return [...new Set(words)].filter((word) => givenUpWords.has(word));
}

describe("architecture", () => {
  it.for(files)("%s imports only what its module may import", (file, { expect }) => {
    expect(violations(file, readFileSync(path.join(source, file), "utf8"))).toEqual([]);
  });

  it.for([
    { file: "plan/plan.ts", text: 'import { send } from "../api/client.ts";', finds: "api" },
    { file: "plan/plan.ts", text: 'import type { A } from "../api/client.ts";', finds: "api" },
    { file: "plan/plan.ts", text: 'export * from "../web/page.ts";', finds: "web" },
    { file: "render/text.ts", text: 'const { a } = await import("../cli/a.ts");', finds: "cli" },
    { file: "zone/zone.ts", text: 'import { parse } from "yaml";', finds: "yaml" },
    { file: "zone/zone.ts", text: 'import "node:fs";', finds: "node:fs" },
    { file: "plan/guard/guard.ts", text: "const at = Date.now();", finds: "Date.now(" },
    { file: "reconcile/queue.ts", text: 'import { request } from "undici";', finds: "undici" },
    {
      file: "emulator/http/app.ts",
      text: 'import { send } from "../api/client.ts";',
      finds: "../api/client.ts",
    },
    { file: "web/page.ts", text: 'import { serve } from "@hono/other";', finds: "@hono/other" },
    { file: "helpers/text.ts", text: "", finds: "there is no module called helpers" },
  ])("notices $finds in $file", ({ file, text, finds }, { expect }) => {
    expect(violations(file, text)).toContain(finds);
  });

  it("lists every module of src, and no other", ({ expect }) => {
    expect(new Set(Object.keys(moduleTable))).toEqual(new Set(readdirSync(source)));
  });

  it("lets a module import only modules above it", ({ expect }) => {
    const names = Object.keys(moduleTable);
    for (const [at, [, { imports }]] of Object.entries(moduleTable).entries()) {
      expect(imports.filter((name) => !names.slice(0, at).includes(name))).toEqual([]);
    }
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
    { text: "two digits (SERVICE.md B.7, B.10)", cites: ["B.7", "B.10"] },
    { text: "white space (SERVICE.md D)", cites: ["D"] },
    { text: "either (SERVICE.md, Two descriptions)", cites: ["Two descriptions"] },
    { text: "as SERVICE.md says", cites: [""] },
  ])("reads what “$text” cites", ({ text, cites }, { expect }) => {
    expect(citedIn(text)).toEqual(cites);
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

  it("exports no two types of the same name", ({ expect }) => {
    const names = files.flatMap((file) => {
      const text = readFileSync(path.join(source, file), "utf8");
      return [...text.matchAll(/^export (?:interface|type|(?:abstract )?class) (\w+)/gm)];
    });
    const times = Map.groupBy(names, ([, name]) => name);
    expect([...times].filter(([, all]) => all.length > 1).map(([name]) => name)).toEqual([]);
    expect(times.size).toBeGreaterThan(500);
  });

  it("has no import cycle, not even of types", ({ expect }) => {
    expect(() => longestChains(importGraph(true))).not.toThrow();
  });

  it(`has no chain of imported values longer than ${maxChain} files`, ({ expect }) => {
    const graph = importGraph(false);
    expect(graph.get("plan/plan.ts")).toContain("plan/policies/plan-policies.ts");
    const tooLong = longestChains(graph).filter(({ length }) => length > maxChain);
    expect(tooLong.map((chain) => chain.join(" → "))).toEqual([]);
  });

  it.for(files)("%s uses the words of the glossary", (file, { expect }) => {
    expect(givenUpWordsIn(readFileSync(path.join(source, file), "utf8"))).toEqual([]);
  });

  it("notices a word that was given up, in any part of an identifier", ({ expect }) => {
    const text = 'const isRefusal = 1; // refusal\nconst text = "refusal"; lookAtNext(`${told}`);';
    expect(givenUpWordsIn(text)).toEqual(["refusal", "look", "told"]);
  });

  it("has no two files of one name", ({ expect }) => {
    const names = Map.groupBy(files, (file) => path.basename(file));
    const twice = [...names].filter(([, { length }]) => length > 1).map(([name]) => name);
    expect(twice).toEqual([]);
  });
});
