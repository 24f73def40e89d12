import { describe, it } from "vitest";

import { systemClock } from "../../src/host/clock.ts";
import type { Clock } from "../../src/zone/ports.ts";
import { type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { namesOfFleet, policiesOf, seedOfPolicies } from "../support/large-fleet.ts";
import { plantedToken } from "../support/service.ts";

describe("a part of a hash", () => {
  const digits = "0123456789ab";

  it("is refused by --accept", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { code, stderr } = await example.place.run("apply", "--accept", digits);
    expect(code).toBe(1);
    expect(stderr).toContain("Copy the full hash of 64 hexadecimal digits that plan prints");
  });

  it.for([
    digits,
    `sha256-${digits}`,
    digits.repeat(2),
    "0".repeat(40),
    `sha256-${"0".repeat(40)}`,
  ])("is refused in limits.accept: %s", async (accept, { expect }) => {
    await using example = await exampleWithEmulator({
      config: `limits: { accept: ["${accept}"] }`,
    });
    const { code, stdout, stderr } = await example.place.run("validate");
    expect(code).toBe(3);
    expect((stdout + stderr).replaceAll(/\s+/g, " ")).toContain("copy the full hash");
  });

  it.for(["0".repeat(64), `sha256-${"0".repeat(64)}`])(
    "is not the same as a full hash: %s",
    async (accept, { expect }) => {
      await using example = await exampleWithEmulator({
        config: `limits: { accept: ["${accept}"] }`,
      });
      const { code, stdout } = await example.place.run("validate");
      expect(code, stdout).toBe(0);
    },
  );
});

describe("a held plan is released by its hash on the command line", () => {
  it("with the zone named before the hash, after it or not at all, and with several hashes", async ({
    expect,
  }) => {
    const config = "limits: { max_update_share: 0, weakening: refuse }";
    const zones = ["shop.example.com", "www.brand.example"] as const;
    for (const place of ["before", "after", "nowhere"] as const) {
      await using example = await exampleWithEmulator({ config });
      const { stdout } = await example.place.run("plan", ...zones);
      const hashes = [...stdout.matchAll(/--accept\s+([0-9a-f]{64})/g)].map(
        ([, hash = ""]) => hash,
      );
      expect(hashes).toHaveLength(2);
      const accept = hashes.flatMap((hash) => ["--accept", hash]);
      const [before, after] = [place === "before" ? zones : [], place === "after" ? zones : []];
      const ran = await example.place.run("apply", ...before, ...accept, ...after);
      expect(ran.code, ran.stdout + ran.stderr).toBe(0);
    }
  });
});

describe("a release in limits.accept", () => {
  const zones = namesOfFleet(3);
  const limits = "limits: { weakening: refuse, accept: [] }";

  /** Zones whose first is declared without Page Shield, which is released; and the hash of its plan. */
  async function released(): Promise<Example & { readonly hash: string }> {
    // A holder of the store is waited for.
    const clock: Clock = {
      ...systemClock,
      sleep: (ms, stop) => systemClock.sleep(ms === 500 ? 1 : ms, stop),
    };
    const example = await exampleWithEmulator({
      seed: seedOfPolicies(zones),
      config: `${limits}\nstore: { path: state }`,
      ports: { env: { ZONEWARDEN_API_TOKEN: plantedToken }, clock },
    });
    const { place } = example;
    await place.remove("zones");
    await place.write("zones/fleet.yaml", policiesOf(zones, 1));
    const { stdout } = await place.run("plan");
    const hash = /--accept\s+([0-9a-f]{64})/.exec(stdout)?.[1] ?? "";
    await place.edit("zonewarden.yaml", "[]", `["${hash}"]`);
    return Object.assign(example, { hash });
  }

  it("is used once, with a saved plan or without", async ({ expect }) => {
    await using example = await released();
    const { place, hash } = example;
    await place.run("plan", "--out", "plan.json");
    expect((await place.run("apply", "--yes")).code).toBe(0);

    await place.write("zones/fleet.yaml", policiesOf(zones, 0));
    expect((await place.run("apply", "--yes")).code).toBe(0);
    await place.write("zones/fleet.yaml", policiesOf(zones, 1));
    for (const args of [["plan"], ["apply", "--yes"], ["apply", "--plan", "plan.json"]]) {
      const { code, stdout } = await place.run(...args);
      expect(code, args.join(" ")).toBe(4);
      expect(stdout.replaceAll(/\s+/g, " ")).toContain(`take ${hash}, which was used, out of`);
    }
    expect((await place.run("apply", "--yes", "--accept", hash)).code).toBe(0);
  });

  it("is not used where that cannot be stored", async ({ expect }) => {
    await using example = await released();
    const { place, emulator, hash } = example;
    await place.run("plan", "--out", "plan.json");
    const holder = { id: "a", pid: 1, host: "another-machine" };
    await place.write("state/state.lock", JSON.stringify(holder));
    for (const args of [["--yes"], ["--plan", "plan.json"]]) {
      const { code, stderr } = await place.run("apply", ...args);
      expect(stderr).toMatch(/nothing is written: a release .* the store is in use by /);
      expect(code).toBe(1);
    }
    expect(writesSeenBy(emulator)).toEqual([]);
    const accepted = await place.run("apply", "--yes", "--accept", hash);
    expect(accepted.stderr).toContain("does not count for the next hour");
    expect(accepted.code).toBe(0);
  });
});
