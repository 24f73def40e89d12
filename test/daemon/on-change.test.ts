import { rename } from "node:fs/promises";
import { join } from "node:path";

import { describe, it } from "vitest";

import { systemClock } from "../../src/host/clock.ts";
import { SimulatedClock } from "../support/clock.ts";
import type { Workplace } from "../support/command-line.ts";
import { exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { logLines, logged } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { stop } from "../support/running.ts";

const cron = '"0 0 1 * *"';
const brand = "www.brand.example";

/** Watchers tell of each change: the daemon does not look at the files by itself. */
const clock: typeof systemClock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms === 30_000 ? 1e9 : ms, signal),
};

/** As a whole, as editors save: the daemon may be reading at this moment. */
async function edit(place: Workplace, file: string, text: string): Promise<void> {
  await place.write("next", text);
  await rename(join(place.directory, "next"), join(place.directory, file));
}

describe("with `on_change: false`", () => {
  it("no change of a file is written before the next sweep, and errors are logged at once", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator({
      config: `schedule: { cron: ${cron}, on_change: false, debounce: 50ms }`,
      ports: { clock },
    });
    const { place, emulator } = example;
    const daemon = place.start("run");
    for (const zone of ["shop.example.com", brand]) {
      await logged(daemon, "plan applied", { zone });
    }
    const writes = writesSeenBy(emulator).length;

    const sites = await place.read("zones/sites.yaml");
    await edit(place, "zones/sites.yaml", sites.replace("action: log", "action: allow"));
    const config = await place.read("zonewarden.yaml");
    const refusing = `${config}limits: { weakening: refuse }\n`;
    await edit(place, "zonewarden.yaml", refusing);
    await logged(daemon, "configuration applied");
    await edit(place, "zones/broken.yaml", "zones: [");
    await logged(daemon, "revision partially applied");
    expect(writesSeenBy(emulator)).toHaveLength(writes);

    await edit(place, "zonewarden.yaml", refusing.replace(cron, '"* * * * * *"'));
    await logged(daemon, "plan applied", { zone: brand, trigger: "file" });
    expect(writesSeenBy(emulator)).toHaveLength(writes + 1);
    expect(await stop(daemon)).toBe(0);
  });
});

describe("a change that no watcher tells", () => {
  it("is found at SIGHUP, and within half a minute", async ({ expect }) => {
    const simulated = new SimulatedClock();
    await using example = await exampleWithEmulator({
      config: `schedule: { cron: ${cron}, debounce: 1h }`,
      ports: { clock: simulated },
    });
    const { place } = example;
    const daemon = place.start("run");
    const count = (message: string): number =>
      logLines(daemon).filter(({ msg }) => msg === message).length;
    await logged(daemon, "revision applied");
    const config = await place.read("zonewarden.yaml");
    await edit(place, "zonewarden.yaml", config.replace("level: info", "level: debug"));
    daemon.signal("SIGHUP");
    await logged(daemon, "configuration applied");

    await edit(place, "zonewarden.yaml", config);
    await place.remove("zones/shop.yaml");
    const revisions = count("revision applied");
    await simulated.advance(30_000 - simulated.monotonicMs());
    await eventually(
      "both changes are found",
      () =>
        (count("configuration applied") === 2 && count("revision applied") > revisions) ||
        undefined,
    );
    expect(await stop(daemon)).toBe(0);
    expect(logLines(daemon).find(({ msg }) => msg === "stopping")).toMatchObject({
      signal: "SIGTERM",
    });
  });
});
