import { setImmediate } from "node:timers/promises";

import { describe, it } from "vitest";

import { maxDiagnostics } from "../../src/desired/diagnostics.ts";
import {
  parseZoneFile,
  parseZoneFileInWorker,
  type ParsedFile,
} from "../../src/desired/load/parse-zone-file.ts";
import { ValuePool } from "../../src/desired/load/value-pool.ts";
import { ZoneFileLoader } from "../../src/desired/load/zone-file-loader.ts";
import { readYaml } from "../../src/desired/yaml/read-yaml.ts";
import { systemClock } from "../../src/host/clock.ts";
import { sha256 } from "../../src/syntax/digest.ts";
import { SimulatedClock } from "../support/clock.ts";
import { linesOf, zonesOf } from "../support/desired.ts";
import { memoryFiles } from "../support/memory-files.ts";

const zones = Array.from(
  { length: 3_000 },
  (_, index) => `  - &z${index}
    name: z${index}.example.com
    page_shield:
      settings: { enabled: true }
      policies:
        items:
          - { key: a, description: Zone ${index}, action: log, expression: "true", value: { script-src: ["'self'"] } }
`,
);
const text = `zones:\n${zones.join("")}  - { name: last.example.com, oops: 1 }\n`;
const bytes = new TextEncoder().encode(text);

const limits = { clock: systemClock, memory: {} };
const parseOptions = { limits, pool: new ValuePool() };

function zone(label: string): string {
  return `zones:\n  - name: ${label}.example.com\n`;
}

/** Counts turns of the event loop while `work` runs. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  const done = work.then(() => true);
  let turns = 0;
  while (!(await Promise.race([done, setImmediate().then(() => false)]))) turns += 1;
  return turns;
}

/** The contents of zones; a layer also has the whole document, which is slow to compare for each. */
function contentsOf({ zones: layers }: ParsedFile): readonly unknown[] {
  return layers.map(({ content }) => content);
}

describe("a file of thousands of zones", () => {
  it("is read like a small one, without blocking the event loop", async ({ expect, signal }) => {
    const hash = sha256(bytes);
    const parsing = parseZoneFileInWorker("a.yaml", hash, bytes, parseOptions, signal);
    expect(await turnsDuring(parsing)).toBeGreaterThan(100);
    const read = await parsing;
    const small = parseZoneFile("a.yaml", hash, bytes);
    expect(contentsOf(read)).toEqual(contentsOf(small));
    expect(read.diagnostics).toEqual(small.diagnostics);
    expect(read.diagnostics).toMatchObject([{ code: "UNKNOWN_KEY", place: { line: 21_002 } }]);
  });

  it("is not read further after an abort", async ({ expect }) => {
    const stop = new AbortController();
    const parsing = parseZoneFileInWorker("a.yaml", "hash", bytes, parseOptions, stop.signal);
    stop.abort(new Error("shutdown"));
    await expect(parsing).rejects.toThrow("shutdown");
  });

  it("that takes too long is reported, and read again with the next load", async ({
    expect,
    signal,
  }) => {
    const clock = new SimulatedClock();
    const disk = memoryFiles({ "/zones/a.yaml": zone("good"), "/zones/b.yaml": zone("other") });
    const desired = new ZoneFileLoader({ path: "/zones", files: disk.port, clock });
    await desired.load(signal);
    disk.write("/zones/a.yaml", text.replace(", oops: 1", ""));
    disk.write("/zones/b.yaml", zone("next"));
    const loading = desired.load(signal);
    while (clock.sleeping === 0) await setImmediate();
    await clock.advance(300_000);
    const late = await loading;
    expect(late.diagnostics).toMatchObject([{ code: "FILE_TOO_SLOW", place: { file: "a.yaml" } }]);
    expect(zonesOf(late)).toEqual(["good.example.com", "next.example.com"]);
    expect(clock.sleeping).toBe(0);

    const read = await desired.load(signal);
    expect(read.diagnostics).toEqual([]);
    expect(read.documents).toHaveLength(3_002);
    expect(clock.sleeping).toBe(0);
  });
});

describe("a file that needs more memory than its thread has", () => {
  it("is reported, keeps its last good version, and does not affect other files", async ({
    expect,
    signal,
  }) => {
    const disk = memoryFiles({ "/zones/a.yaml": zone("other"), "/zones/b.yaml": zone("good") });
    const options = { path: "/zones", files: disk.port, clock: systemClock };
    const desired = new ZoneFileLoader(options, { maxOldGenerationSizeMb: 16 });
    await desired.load(signal);
    disk.write("/zones/a.yaml", zone("next"));
    disk.write("/zones/b.yaml", `zones:\n${"- a\n".repeat(250_000)}`);
    for (let round = 0; round < 2; round += 1) {
      const state = await desired.load(signal);
      expect(linesOf(state)).toEqual([
        "b.yaml:1:1: error: reading the file takes more memory than the program has; split it into smaller files, or give the program more memory; the next load tries again [FILE_TOO_COSTLY]",
      ]);
      expect(zonesOf(state)).toEqual(["next.example.com", "good.example.com"]);
    }
    disk.write("/zones/b.yaml", zone("mended"));
    const mended = await desired.load(signal);
    expect(mended.diagnostics).toEqual([]);
    expect(zonesOf(mended)).toEqual(["next.example.com", "mended.example.com"]);
  });
});

describe("a key that is repeated many times", () => {
  it("is reported only up to the limit, and then not searched for", async ({ expect, signal }) => {
    const again = "b: 1\n".repeat(10_000);
    const { diagnostics } = readYaml("a.yaml", `a: 1\nb: 1\n${again}`);
    expect(diagnostics).toHaveLength(maxDiagnostics + 1);
    expect(diagnostics.at(0)).toMatchObject({ code: "DUPLICATE_KEY", place: { line: 3 } });
    const { port: files } = memoryFiles({ "/zones/a.yaml": `${zone("good")}${again}` });
    const state = await new ZoneFileLoader({ path: "/zones", files, clock: systemClock }).load(
      signal,
    );
    const codes = state.diagnostics.map(({ code }) => code);
    expect(codes).toHaveLength(maxDiagnostics + 1);
    expect(codes.filter((code) => code === "TOO_MANY_PROBLEMS")).toHaveLength(1);
  });
});
