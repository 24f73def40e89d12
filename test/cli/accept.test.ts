import { describe, it } from "vitest";

import { exampleWithEmulator } from "../support/example.ts";

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
