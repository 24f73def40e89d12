import { rm } from "node:fs/promises";
import path from "node:path";

import { describe, it } from "vitest";

import { control, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { namesOfFleet } from "../support/large-fleet.ts";
import { logLines, logged } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { stop } from "../support/running.ts";

const zones = namesOfFleet(12);
const profile = "profiles:\n  baseline:\n    page_shield: { settings: { enabled: true } }\n";
const documents = zones.map((name) => `  - { name: ${name}, profiles: [baseline] }\n`).join("");

describe("an emergency stop through a profile", () => {
  it("stops all writes at once, though it changes every zone of the fleet", async ({ expect }) => {
    await using example = await exampleWithEmulator({
      config: 'schedule: { cron: "0 0 1 * *" }',
      seed: { zones: zones.map((name) => ({ name, settings: { enabled: true } })) },
    });
    const { place, emulator } = example;
    await rm(path.join(place.directory, "zones"), { recursive: true });
    await place.write("zones/zones.yaml", `${profile}zones:\n${documents}`);
    const daemon = place.start("run");
    const { revision } = await logged(daemon, "revision applied", { result: "applied", zones: 12 });

    await place.write("zones/zones.yaml", `${profile}    mode: observe\nzones:\n${documents}`);
    await eventually("the stop active", () =>
      logLines(daemon).find(
        (line) => line["msg"] === "revision applied" && line["revision"] !== revision,
      ),
    );
    const [shop = ""] = zones;
    await control(example, "edit", { zone: shop, settings: { enabled: false } });
    daemon.signal("SIGHUP");
    await logged(daemon, "drift detected", { zone: shop, trigger: "signal" });
    expect(writesSeenBy(emulator)).toEqual([]);
    expect(await stop(daemon)).toBe(0);
  });
});
