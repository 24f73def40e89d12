import { describe, it } from "vitest";

import { exampleWithEmulator } from "../support/example.ts";

describe("a held plan is released by its hash on the command line", () => {
  it("with the zone named before the hash, after it or not at all, and with several hashes", async ({
    expect,
  }) => {
    const config = "limits: { max_update_share: 0, min_compared: 1 }";
    const zones = ["shop.example.com", "www.brand.example"] as const;
    for (const place of ["before", "after", "nowhere"] as const) {
      await using example = await exampleWithEmulator({ config });
      const { stdout } = await example.place.run("plan", ...zones);
      const hashes = [...stdout.matchAll(/--accept\s+([0-9a-f]{12})/g)].map(
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
