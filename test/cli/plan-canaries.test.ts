import { describe, it } from "vitest";

import { exitCodes } from "../../src/cli/output/exit-codes.ts";
import { coerceObjects } from "../../src/syntax/json.ts";
import { workplace } from "../support/command-line.ts";
import { exampleWithEmulator } from "../support/example.ts";
import { jsonFrom, stop } from "../support/running.ts";
import { allRun } from "../support/settled-example.ts";

function rolloutWith(...zones: readonly string[]): string {
  return `store: { path: state }\nrollout: { waves: [{ zones: [${zones.join(", ")}] }, { share: 100% }] }\n`;
}

const files = "zones:\n  - name: shop.example.com\n  - name: blog.example.com\n";

describe("a zone that a wave names and no file declares", () => {
  it("is told with its place by validate, where the files name all zones", async ({ expect }) => {
    const config = `mode: observe\n${rolloutWith("shop.example.com", "blgo.example.com")}`;
    await using place = await workplace();
    await place.write("zonewarden.yaml", config);
    await place.write("zones/zones.yaml", files);
    const { code, stdout } = await place.run("validate");
    expect(code).toBe(exitCodes.done);
    expect(stdout).toContain(
      "zonewarden.yaml:3:48: warning: no file declares the zone blgo.example.com [WAVE_ZONE_UNDECLARED]",
    );
    expect(stdout).toContain('did you mean "blog.example.com"?');
    expect(stdout.match(/WAVE_ZONE_UNDECLARED/g)).toHaveLength(1);

    await place.write("zones/zones.yaml", `${files}  - match: { name: "*.example.com" }\n`);
    expect((await place.run("validate")).stdout).not.toContain("WAVE_ZONE_UNDECLARED");
  });

  it("is told by plan and by the daemon, which know the listing", async ({ expect }) => {
    const config = rolloutWith("shop.example.com", "www.brand.example", "sohp.example.com");
    await using example = await exampleWithEmulator({ config });
    const { place } = example;
    const { stdout, stderr } = await place.run("plan");
    const told = `${stdout}${stderr}`.match(/no file declares the zone \S+/g);
    expect(told).toEqual(["no file declares the zone sohp.example.com"]);
    const daemon = place.start("run");
    await allRun(daemon);
    const { diagnostics } = await jsonFrom(daemon, "api/v1/diagnostics");
    expect(coerceObjects(diagnostics).map(({ code }) => code)).toEqual(["WAVE_ZONE_UNDECLARED"]);
    await stop(daemon);
  });
});
