import { describe, it } from "vitest";

import { exampleWithEmulator } from "../support/example.ts";
import { logged } from "../support/log-lines.ts";
import { stop, textFrom } from "../support/running.ts";

const zone = "shop.example.com";
const old = "Made by hand for the spring sale";
const note = /policy\/sale would double the live policy \w+ .{1,8}Made by hand for the spring/;

function withSale(file: string, description: string): string {
  const sale = `          - key: sale
            description: ${description}
            action: log
            expression: http.host eq "sale.shop.example.com"
            value: script-src 'self'
`;
  return file.replace("        items:\n", `        items:\n${sale}`);
}

describe("a policy whose description is edited before it is adopted", () => {
  it("is told in plan, log and page, and the remedy leaves one policy", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { place } = example;
    const config = await place.read("zonewarden.yaml");
    await place.write("zonewarden.yaml", config.replace("mode: enforce", "mode: observe"));
    const file = await place.read("zones/shop.yaml");
    const edited = withSale(file, "Spring sale");
    await place.write("zones/shop.yaml", edited);
    for (const format of ["text", "json", "markdown"]) {
      const { stdout } = await place.run("plan", zone, "--format", format);
      expect(stdout.replaceAll(/\s+/g, " "), format).toMatch(note);
    }

    const daemon = place.start("run");
    expect((await logged(daemon, "policy doubled", { zone }))["note"]).toMatch(note);
    for (const address of [`api/v1/zones/${zone}`, `zones/${zone}`]) {
      expect(await textFrom(daemon, address), address).toMatch(note);
    }
    await stop(daemon);

    await place.write("zonewarden.yaml", config);
    await place.write("zones/shop.yaml", withSale(file, old));
    const adopted = await place.run("adopt", zone, "--yes");
    expect(adopted.code, adopted.stderr).toBe(0);
    await place.write("zones/shop.yaml", edited);
    const { stdout } = await place.run("plan", zone);
    expect(stdout).toMatch(/~ policy\/sale/);
    expect(stdout).not.toContain("would double");
  });
});
