import { describe, it } from "vitest";

import { exampleWithEmulator } from "../support/example.ts";
import { logged } from "../support/log-lines.ts";
import { stop, textFrom } from "../support/running.ts";

const zone = "shop.example.com";
const note = "the suspension of the zone ended at 2020-02-01T00:00:00.000Z";

describe("a suspension whose end is in the past", () => {
  it("is told in the plan, the log and the page", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { place } = example;
    const file = await place.read("zones/shop.yaml");
    const suspend = '    suspend: { reason: "A load test", until: 2020-02-01 }\n';
    await place.write("zones/shop.yaml", file.replace(`${zone}\n`, `${zone}\n${suspend}`));
    for (const format of ["text", "json", "markdown"]) {
      const { stdout } = await place.run("plan", zone, "--format", format);
      expect(stdout.replaceAll(/\s+/g, " "), format).toContain(note);
    }
    const daemon = place.start("run");
    expect((await logged(daemon, "suspension ended", { zone }))["note"]).toContain(note);
    expect(await textFrom(daemon, `zones/${zone}`)).toContain(note);
    await stop(daemon);
  });
});
