import { readFileSync } from "node:fs";
import path from "node:path";

import { describe, it } from "vitest";

import { loadSeed } from "../../src/emulator/seed/load-seed.ts";
import { exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { containersOf, nameOf, podsIn, render } from "./manifests.ts";
import { deploy } from "./paths.ts";
import { textAt } from "./rules.ts";
import { noComponents } from "./tools.ts";
import { unknownKeysIn } from "./unknown-keys.ts";

function fileOf(name: string): string {
  return readFileSync(path.join(deploy, "kustomize/overlays/emulator", name), "utf8");
}

describe("the overlay with an emulator", () => {
  it("has a configuration without mistakes, and zones that it can apply", async ({ expect }) => {
    const loaded = loadSeed(fileOf("emulator.yaml"), "emulator.yaml");
    if (!("seed" in loaded)) throw new Error(JSON.stringify(loaded));
    await using example = await exampleWithEmulator({ seed: loaded.seed });
    const { place, emulator } = example;
    await place.write("fleet/zones.yaml", fileOf("zones.yaml"));
    const config = fileOf("zonewarden.yaml").replace("path: /zones/current/zones", "path: fleet");
    await place.write("cluster.yaml", config);
    expect(await place.run("validate", "--config", "cluster.yaml")).toMatchObject({ code: 0 });
    const local = config.replace(/base_url: .*/, `base_url: ${emulator.baseUrl}`);
    await place.write("local.yaml", local.replace(/token_file: .*/, "token_file: token"));
    await place.write("token", "emulator-token");
    expect((await place.run("apply", "--yes", "--config", "local.yaml")).code).toBe(0);
    expect(writesSeenBy(emulator).length).toBeGreaterThan(0);
    expect((await place.run("plan", "--config", "local.yaml")).code).toBe(0);
  });

  it.skipIf(noComponents)(
    `adds a Service and a pod under the restricted profile ${noComponents ?? ""}`,
    async ({ expect }) => {
      const objects = await render("overlays/emulator");
      expect(await unknownKeysIn(objects)).toBe("");
      expect(objects.map(nameOf)).toEqual(
        expect.arrayContaining([
          "Deployment/zonewarden-emulator",
          "Service/zonewarden-emulator",
          "NetworkPolicy/zonewarden-emulator",
        ]),
      );
      const pods = podsIn(objects);
      const emulator = pods.find(({ owner }) => owner === "Deployment/zonewarden-emulator");
      expect(emulator?.spec).toMatchObject({ automountServiceAccountToken: false });
      const images = pods.flatMap(containersOf).map((container) => textAt(container, "image"));
      expect(new Set(images).size).toBe(1);
    },
  );
});
