import { describe, it } from "vitest";

import { exitCodes } from "../../src/cli/output/exit-codes.ts";
import { nodeFiles } from "../../src/desired/file-system.ts";
import { ZoneFileLoader } from "../../src/desired/load/zone-file-loader.ts";
import { systemClock } from "../../src/host/clock.ts";
import { lineOf } from "../../src/memory/directory/journal-line.ts";
import { control, exampleWithEmulator } from "../support/example.ts";
import { logLines } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { stop } from "../support/running.ts";

const shop = "shop.example.com";

const rollout = `rollout: { waves: [{ zones: [${shop}] }, { share: 100% }] }`;
const config = `store: { path: state }\n${rollout}`;

/** The lines of a plan that name a wave. */
function waveLines(stdout: string): readonly string[] {
  return stdout.split("\n").filter((line) => line.includes("in wave"));
}

describe("a plan where changes go out in waves", () => {
  it("says of each zone that the revision changes in which wave the daemon does", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator({ config });
    const { place } = example;
    // Neither the store nor a file before tells what is drift: all of it may be the doing of the revision.
    const { code, stdout } = await place.run("plan");
    expect(code).toBe(exitCodes.changes);
    expect(waveLines(stdout)).toEqual([
      expect.stringContaining("the daemon changes this zone in wave 1 of 2"),
      expect.stringContaining("the daemon changes this zone in wave 2 of 2"),
    ]);
    const named = await place.run("plan", shop);
    expect(waveLines(named.stdout)).toEqual([expect.stringContaining("in wave 1 of 2")]);
  });

  const wave = "the daemon changes this zone in wave 1 of 2";
  const aborted =
    "the rollout of this revision is aborted, and the daemon keeps what was in force before it: revert the files";

  it.for([
    {
      what: "is paused",
      halt: "paused",
      of: "another",
      planned: `${wave}, once the rollout is resumed`,
    },
    { what: "of other files was aborted", halt: "aborted", of: "another", planned: wave },
    { what: "is aborted", halt: "aborted", of: "these", planned: aborted, applied: aborted },
  ])(
    "says what the daemon does where the rollout $what, and apply what does not stay",
    async ({ halt, of, planned, applied }, { expect, signal }) => {
      await using example = await exampleWithEmulator({ config });
      const { place, emulator } = example;
      const files = { path: `${place.directory}/zones`, files: nodeFiles, clock: systemClock };
      const { hash } = await new ZoneFileLoader(files).load(signal);
      const revision = of === "these" ? hash : "0d".repeat(32);
      const identity = { owner: "zonewarden", service: emulator.baseUrl };
      const head = lineOf({ format: "zonewarden-state", version: 1, ...identity });
      const stored = lineOf([["halt", JSON.stringify({ revision, halt })]]);
      await place.write("state/state.jsonl", `${head}${stored}`);
      const noteOf = async (...args: readonly string[]): Promise<string | undefined> => {
        const { stdout } = await place.run(...args);
        return /note: (the [dr].*?) \d+ requests? /.exec(stdout.replaceAll(/\s+/g, " "))?.[1];
      };
      expect(await noteOf("plan", shop)).toBe(planned);
      expect(await noteOf("apply", shop, "--yes")).toBe(applied);
    },
  );

  it("says nothing of corrections of drift, nor does apply, which does not wait", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator({ config: "store: { path: state }" });
    const { place } = example;
    const daemon = place.start("run");
    await eventually(
      "the shop is as declared",
      () =>
        logLines(daemon).some(({ msg, zone }) => msg === "plan applied" && zone === shop) ||
        undefined,
    );
    await stop(daemon);
    const text = await place.read("zonewarden.yaml");
    await place.write("zonewarden.yaml", `${text}${rollout}\n`);
    const set = { paranoia_level: 3 };
    await control(example, "edit", { zone: shop, rule: "zonewarden:owasp", set });
    const planned = await place.run("plan", shop);
    expect(planned.code).toBe(exitCodes.changes);
    expect(waveLines(planned.stdout)).toEqual([]);

    await place.edit("zones/baseline.yaml", "medium", "high");
    expect(waveLines((await place.run("plan", shop)).stdout)).toHaveLength(1);
    const applied = await place.run("apply", shop, "--yes");
    expect(applied.code).toBe(exitCodes.done);
    expect(waveLines(applied.stdout)).toEqual([]);
  });
});
