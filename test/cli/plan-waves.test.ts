import { describe, it } from "vitest";

import { exitCodes } from "../../src/cli/output/exit-codes.ts";
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

    const baseline = await place.read("zones/baseline.yaml");
    await place.write("zones/baseline.yaml", baseline.replace("medium", "high"));
    expect(waveLines((await place.run("plan", shop)).stdout)).toHaveLength(1);
    const applied = await place.run("apply", shop, "--yes");
    expect(applied.code).toBe(exitCodes.done);
    expect(waveLines(applied.stdout)).toEqual([]);
  });
});
