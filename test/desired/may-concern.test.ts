import * as fc from "fast-check";
import { describe, it } from "vitest";

import { mayConcern } from "../../src/desired/load/may-concern.ts";
import { parseZoneFile } from "../../src/desired/load/parse-zone-file.ts";
import { type LoadedFiles, ZoneFileLoader } from "../../src/desired/load/zone-file-loader.ts";
import { selectZones } from "../../src/desired/zones/select.ts";
import { systemClock } from "../../src/host/clock.ts";
import { isError } from "../../src/zone/diagnostic.ts";
import { type Zone, zoneId, type ZoneName } from "../../src/zone/zone.ts";
import { memoryFiles } from "../support/memory-files.ts";
import { cases } from "../support/properties.ts";
import { named } from "../support/reports.ts";

const asked = named("a.example");
const id = "0123456789abcdef0123456789abcdef";

/** Ways to declare a zone; the first are those that leave a file out for the zone that is asked for. */
const targets = [
  "name: b.example",
  "name: c.example",
  'name: "d.example"',
  "name: 'e.example'",
  "name: F.example",
  "name: a.example",
  "name: A.Example",
  '"name": a.example',
  'name: "\\x61.example"',
  'name: "a.\\\n      example"',
  "name: >-\n      a.example",
  "name: &n a.example",
  "? name\n    : a.example",
  "name: \u212A.example",
  `id: ${id}`,
  `"id": ${id}`,
  `'id': ${id}`,
  '"\\x69d": ' + id,
  `? id\n    : ${id}`,
  `!!str id: ${id}`,
  'match: { name: "*.example" }',
  '"match": { name: a* }',
  '"m\\u0061tch": { name: a* }',
  "? match\n    : { name: a* }",
];

const bodies = [
  "",
  "\n    profiles: [base]",
  "\n    profiles: [other]",
  "\n    mode: observe",
  "\n    page_shield: { settings: { enabled: true } }",
  '\n    page_shield:\n      policies:\n        items:\n          - { key: k, action: log, expression: "true", value: "script-src a.example" }',
  "\n    page_shield:\n      policies:\n        items:\n          - key: k\n            action: log\n            expression: |\n              not ssl\n            value: { script-src: [\"'self'\"] }",
  "\n    oops: 1",
  "\n    # match id profiles:",
];

const tops = [
  "zones:\n",
  "---\nzones:\n",
  "# profiles:\n\n---\n# x\nzones: # y\n",
  "zones:   \n",
  "profiles:\n  base: { mode: observe }\nzones:\n",
  '"profiles":\n  base: {}\nzones:\n',
  "? profiles\n: base: {}\nzones:\n",
  "%YAML 1.2\n---\nzones:\n",
  "---\nprofiles: { base: {} }\n---\nzones:\n",
  "  zones:\n",
  "zones: # x\r\n",
  "zones:\n\n",
];

const ends = [
  "",
  "",
  "\n# profiles:\n",
  "  # end\n",
  "\n\n",
  "profiles:\n  base: { mode: observe }\n",
  '"profiles":\n  base: {}\n',
  "? profiles\n: base: {}\n",
  "---\n  profiles:\n    base: {}\n",
  "...\n",
  "zones: []\n",
  "\tprofiles: {}\n",
  "oops: 1\n",
  '"pro\\x66iles": { base: {} }\n',
  "\rprofiles: {}\n",
];

/** The first choices of a list come more often. */
function mostly(texts: readonly string[], common: number): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...texts.slice(0, common)) },
    { weight: 1, arbitrary: fc.constantFrom(...texts) },
  );
}

const entry = fc
  .tuple(mostly(targets, 5), mostly(bodies, 7))
  .map(([target, body]) => `${target}${body}\n`);

const zoneFile = fc
  .record({
    top: mostly(tops, 4),
    entries: fc.array(entry, { minLength: 1, maxLength: 3 }),
    indent: fc.constantFrom("", "  "),
    end: mostly(ends, 4),
  })
  .map(({ top, entries, indent, end }) => {
    const list = entries.map((text) => `- ${indent === "" ? text.replaceAll("\n  ", "\n") : text}`);
    return `${top}${list.map((item) => `${indent}${item}`).join("")}${end}`;
  });

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function concerns(text: string): boolean {
  return mayConcern({ file: "a.yaml", bytes: bytesOf(text) }, [asked]);
}

async function load(
  texts: readonly string[],
  zones: readonly ZoneName[] | undefined,
): Promise<LoadedFiles> {
  const disk = memoryFiles(
    Object.fromEntries(texts.map((text, at) => [`/zones/${at}.yaml`, text])),
  );
  const only = zones === undefined ? {} : { zones };
  const options = { path: "/zones", files: disk.port, clock: systemClock, ...only };
  return new ZoneFileLoader(options).load(new AbortController().signal);
}

/** The zone that is asked for, another of its name, and some that are not. */
const listed: readonly Zone[] = ["a.example", "a.example", "b.example", "c.example"].map(
  (name, index) => ({
    id: zoneId(index === 1 ? id : `${index}`.repeat(32)) ?? fail(),
    name: named(name),
    accountId: "x",
    accountName: "",
    status: index === 1 ? "pending" : "active",
    tier: "free",
  }),
);

function fail(): never {
  throw new Error("no id");
}

/** What is declared for the zone that is asked for, and what is said of it. */
function declaredIn(state: LoadedFiles): unknown {
  const { zones, leftAlone } = selectZones(state.documents, { zones: listed, unlisted: [] });
  return {
    zones: zones.filter(({ zone }) => zone.name === asked),
    why: leftAlone.get(asked)?.message,
  };
}

/** Without what only all files together can say. */
function diagnosticsIn({ diagnostics }: LoadedFiles): readonly unknown[] {
  return diagnostics.filter(({ code }) => code !== "UNUSED_PROFILE");
}

describe("a file that cannot concern a zone", () => {
  it("declares other zones by their names, and nothing else", ({ expect }) => {
    let left = 0;
    fc.assert(
      fc.property(zoneFile, (text) => {
        if (concerns(text)) return;
        left += 1;
        const file = parseZoneFile("a.yaml", "", bytesOf(text));
        expect([...file.profiles, ...file.invalidProfiles]).toEqual([]);
        for (const { content } of file.zones) {
          expect(content).toMatchObject({ name: expect.any(String) as unknown });
          expect([content.id, content.match]).toEqual([undefined, undefined]);
          expect(content.name?.toLowerCase()).not.toBe(asked);
        }
      }),
      cases(800),
    );
    expect(left).toBeGreaterThan(cases(80).numRuns);
  });

  it("changes nothing that is declared for the zone", async ({ expect }) => {
    let left = 0;
    const files = fc.array(zoneFile, { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(files, async (texts) => {
        const part = await load(texts, [asked]);
        left += part.skipped;
        const rest = texts.map((text) => (concerns(text) ? text : "zones: []\n"));
        expect(part.skipped).toBe(texts.filter((text) => !concerns(text)).length);
        const without = await load(rest, undefined);
        expect(part.documents).toEqual(without.documents);
        expect(diagnosticsIn(part)).toEqual(diagnosticsIn(without));
        const all = await load(texts, undefined);
        expect(part.revision).toBe(all.revision);
        if (all.diagnostics.some(isError)) return;
        expect(declaredIn(part)).toEqual(declaredIn(all));
      }),
      cases(250),
    );
    expect(left).toBeGreaterThan(cases(50).numRuns);
  });

  it.for([
    { text: "zones:\n  - name: b.example\n", may: false },
    { text: "# zones\n---\n# x\nzones:\n- name: b.example\n- name: ab.example\n", may: false },
    { text: 'zones:\n  - name: b.example\n    page_shield: { x: "\\\\d\\"" }\n', may: false },
    { text: "zones:\n  - name: ba.example\n", may: true },
    { text: "zones:\n  - name: A.EXAMPLE\n", may: true },
    { text: "zones:\n  - name: b.example\n# a.example\n", may: true },
    { text: "zones:\n  - name: b.example\n    x: id\n", may: true },
    { text: "zones:\n  - { match: { name: b* } }\n", may: true },
    { text: "profiles: {}\n", may: true },
    { text: "zones:\n  - name: b.example\nprofiles: {}\n", may: true },
    { text: "zones:\n  - name: b.example\n---\nzones: []\n", may: true },
    { text: "zones: []\n", may: true },
    { text: "", may: true },
    { text: "  zones:\n    - name: b.example\n  profiles: {}\n", may: true },
    { text: "---\n  profiles: {}\n---\nzones:\n  - name: b.example\n", may: true },
    { text: 'zones:\n  - name: "\\x61.example"\n', may: true },
    { text: "zones:\r\n  - name: b.example\r\n", may: true },
    { text: "zones:\n\t- name: b.example\n", may: true },
    { text: "zones:\n  - name: b.example\u0000\n", may: true },
  ])("judged by $text: $may", ({ text, may }, { expect }) => {
    expect(concerns(text)).toBe(may);
  });

  it("is UTF-8", ({ expect }) => {
    const bytes = Uint8Array.of(...bytesOf("zones:\n  - name: b.example #"), 0xff, 0x0a);
    expect(mayConcern({ file: "a.yaml", bytes }, [asked])).toBe(true);
  });
});
