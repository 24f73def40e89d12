import { describe, it } from "vitest";

import { type ExitCode, exitCodes } from "../../src/cli/output/exit-codes.ts";
import { roundsOnChange } from "../../src/cli/session/watch-files.ts";
import { loadConfigOrPrint } from "../../src/host/load.ts";
import { listAnswer } from "../support/ask.ts";
import { SimulatedClock } from "../support/clock.ts";
import { hostIn, type Started } from "../support/command-line.ts";
import { control, type Example, exampleWithEmulator } from "../support/example.ts";
import { eventually } from "../support/processes.ts";

const shopFile = "zones/shop.yaml";

/** The id of a zone. */
async function idOf(zone: string, { emulator }: Example): Promise<string | undefined> {
  const [found] = await listAnswer(emulator, `/zones?name=${zone}`);
  return found?.id;
}

/** What was asked of the service since the last call: zones by their ids, and what concerns no zone. */
function asker({ emulator }: Example): () => ReadonlySet<string> {
  let seen = emulator.journal().length;
  return () => {
    const fresh = emulator.journal().slice(seen);
    seen += fresh.length;
    return new Set(fresh.map(({ path }) => /\/zones\/([^/]+)\//.exec(path)?.[1] ?? path));
  };
}

/** What each round printed. */
function roundsOf(watching: Started): readonly string[] {
  return watching.stdout().split(/^─+ \d\d:\d\d:\d\d UTC ─+$/m);
}

/** Waits until so many rounds were begun, and the last one printed its plan. No time passes meanwhile. */
function plan(number: number, watching: Started): Promise<string> {
  return eventually(`plan ${number}`, () => {
    const last = roundsOf(watching)[number - 1] ?? "";
    return /^A sweep of these zones/m.test(last) ? last : undefined;
  });
}

/**
 * Lets time pass until an edit begins a round. Time stands still while only the poll of the watched path sleeps: then the
 * event of the file is on its way. If one edit is seen as two events, the second one waits for the next edit.
 */
async function anotherRound(clock: SimulatedClock, watching: Started): Promise<void> {
  const before = roundsOf(watching).length;
  await eventually("another round", async () => {
    if (clock.sleeping > 1) await clock.advance(1_000);
    return roundsOf(watching).length > before ? true : undefined;
  });
}

describe("plan --watch", () => {
  it("plans again when the files change, and reads only zones that are declared anew", async ({
    expect,
  }) => {
    const clock = new SimulatedClock();
    await using example = await exampleWithEmulator({ ports: { clock } });
    const { place } = example;
    const shop = await idOf("shop.example.com", example);
    const files = await place.read(shopFile);
    const watching = place.start("plan", "--watch");
    const first = await plan(1, watching);
    expect(first).toContain("paranoia_level  1 → 2");
    const asked = asker(example);

    await place.write(shopFile, files.replace("action: block", "paranoia_level: 3"));
    await anotherRound(clock, watching);
    const second = await plan(2, watching);
    expect(second).toContain("paranoia_level  1 → 3");
    expect(second).toContain("www.brand.example  4 changes");
    expect(asked()).toEqual(new Set([shop]));

    await place.write(
      shopFile,
      `${files.replace("action: block", "paranoia_level: 3")}# No more.\n`,
    );
    await anotherRound(clock, watching);
    expect((await plan(3, watching)).trim()).toBe(second.trim());
    expect(asked()).toEqual(new Set());

    await place.write(shopFile, files);
    await anotherRound(clock, watching);
    expect((await plan(4, watching)).trim()).toBe(first.trim());
    expect(asked()).toEqual(new Set([shop]));

    watching.signal("SIGINT");
    const { code, stderr } = await watching.ended;
    expect(code).toBe(2);
    expect(stderr).toContain("waiting for changes of the zone files; Ctrl-C ends");
    expect(stderr).not.toContain("stopped by a signal");
  });

  it("ends with the code of the last plan when nobody reads it any more", async ({ expect }) => {
    const reader = new AbortController();
    const ports = { clock: new SimulatedClock(), outputClosed: reader.signal };
    await using example = await exampleWithEmulator({ ports });
    const watching = example.place.start("plan", "--watch");
    await plan(1, watching);
    reader.abort();
    expect((await watching.ended).code).toBe(2);
  });

  it("goes on after a mistake in the files, and ends with the code of the last plan", async ({
    expect,
  }) => {
    const clock = new SimulatedClock();
    await using example = await exampleWithEmulator({ ports: { clock } });
    const { place } = example;
    const files = await place.read(shopFile);
    const watching = place.start("plan", "--watch");
    await plan(1, watching);
    await place.write(shopFile, `${files}oops: 1\n`);
    await anotherRound(clock, watching);
    const noPlans = (): number => watching.stdout().split("No plan.\n").length - 1;
    await eventually("a mistake", () => (noPlans() === 1 ? true : undefined));
    await place.write(shopFile, files);
    await anotherRound(clock, watching);
    await plan(3, watching);
    const asked = asker(example);
    await place.write(shopFile, `${files}oops: 1\n`);
    await anotherRound(clock, watching);
    await eventually("another mistake", () => (noPlans() === 2 ? true : undefined));
    watching.signal("SIGINT");
    const { code, stderr } = await watching.ended;
    expect(stderr).toContain("UNKNOWN_KEY");
    expect(asked()).toEqual(new Set());
    expect(code).toBe(3);
  });

  it("lists the zones again until each credential could list its own", async ({ expect }) => {
    const config = `credentials:
  - { name: first, token_env: ZONEWARDEN_API_TOKEN, zones: ["*.example.com"] }
  - { name: second, token_env: ZONEWARDEN_API_TOKEN }`;
    const clock = new SimulatedClock();
    await using example = await exampleWithEmulator({ config, ports: { clock } });
    const { place } = example;
    await control(example, "faults", { fault: "status", status: 403, path: "/zones", count: 1 });
    const watching = place.start("plan", "--watch", "--no-audit");
    await plan(1, watching);
    const asked = asker(example);
    const files = await place.read(shopFile);
    await place.write(shopFile, `${files}# Once more.\n`);
    await anotherRound(clock, watching);
    await plan(2, watching);
    expect([...asked()].join(" ")).toMatch(/\/zones\?/);

    await place.write(shopFile, files);
    await anotherRound(clock, watching);
    await plan(3, watching);
    expect(asked()).toEqual(new Set());
    watching.signal("SIGINT");
    const { stderr } = await watching.ended;
    expect(stderr.match(/its zones cannot be listed/g)).toHaveLength(1);
  });

  it("begins a round five seconds after the one before at the earliest", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { place } = example;
    const stop = new AbortController();
    const clock = new SimulatedClock();
    const moments: number[] = [];
    const round = async (): Promise<ExitCode> => {
      moments.push(clock.monotonicMs());
      // So that a change is always waiting.
      await place.write(shopFile, `# ${moments.length}\n`);
      if (moments.length === 4) stop.abort();
      return exitCodes.changes;
    };
    const host = hostIn(place.directory, { clock });
    const config = await loadConfigOrPrint("zonewarden.yaml", host, stop.signal);
    if (config === undefined) throw new Error("the configuration of the example is broken");
    const watching = roundsOnChange(round, { config, host, stop: stop.signal });
    // Time stands still while only the poll of the watched path sleeps: then the event of a file is on its way.
    const isQuiet = (): boolean => clock.sleeping > 1;
    expect(await clock.run(watching, isQuiet)).toBe(exitCodes.changes);
    const gaps = moments.slice(1).map((moment, index) => moment - (moments[index] ?? 0));
    expect(gaps).toEqual([5_000, 5_000, 5_000]);
  });

  it.for([
    ["--out", "plan.json"],
    ["--format", "json"],
  ])("is refused with %s", async (flags, { expect }) => {
    await using example = await exampleWithEmulator();
    const { code, stderr } = await example.place.run("plan", "--watch", ...flags);
    expect(code).toBe(1);
    expect(stderr).toContain("--watch prints text for a person");
  });
});
