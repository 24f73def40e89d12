import { describe, it } from "vitest";

import { exampleWithEmulator } from "../support/example.ts";
import { logLines, logged } from "../support/log-lines.ts";
import { stop, textFrom } from "../support/running.ts";

const config = 'schedule: { cron: "0 * * * *" }\nstore: { path: state }';
const told = "part of a zone no longer managed";
const note =
  "the policies checkout, everywhere are no longer declared. What is live of them stays, unmanaged; to delete those that zonewarden owns, declare page_shield.policies.items as []";

describe("policies that are no longer declared, of a zone that is", () => {
  it("are told in the plan, the log and the page until they are declared again", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator({ config });
    const { place } = example;
    const applying = place.start("run");
    await logged(applying, "plan applied", { zone: "shop.example.com" });
    await stop(applying);
    const file = await place.read("zones/shop.yaml");
    const without = file.replace(/ {6}policies:\n(?: {8,}.*\n)+/, "");
    expect(without).not.toContain("policies:");
    await place.write("zones/shop.yaml", without);
    const { stdout: planned } = await place.run("plan", "--format", "json");
    expect(planned).toContain(note);

    for (const start of ["first", "second"]) {
      const daemon = place.start("run");
      expect(await logged(daemon, told), start).toMatchObject({ zone: "shop.example.com", note });
      expect(await textFrom(daemon, "api/v1/zones/shop.example.com")).toContain(note);
      await stop(daemon);
      expect(logLines(daemon).filter(({ msg }) => msg === told)).toHaveLength(1);
    }

    await place.write(
      "zones/shop.yaml",
      without.replace("page_shield:", "page_shield:\n      policies: { items: [] }"),
    );
    const { stdout } = await place.run("plan", "--format", "json");
    expect(stdout).not.toContain("no longer declared. What");
    expect(stdout).toContain('"key": "policy/checkout"');
  });
});
