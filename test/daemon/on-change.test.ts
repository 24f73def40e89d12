import { rename } from "node:fs/promises";
import { join } from "node:path";

import { describe, it } from "vitest";

import { systemClock } from "../../src/host/clock.ts";
import type { Workplace } from "../support/command-line.ts";
import { exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { logLines, logged } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { stop } from "../support/running.ts";

const nightly = 'schedule: { cron: "0 0 1 * *", on_change: false }';
const brand = "www.brand.example";

/** The daemon looks at the files every half minute; here, ten times a second. */
const clock: typeof systemClock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms === 30_000 ? 100 : ms, signal),
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
    await using example = await exampleWithEmulator({ config: nightly, ports: { clock } });
    const { place, emulator } = example;
    const daemon = place.start("run");
    for (const zone of ["shop.example.com", brand]) {
      await logged(daemon, "plan applied", { zone });
    }
    const writes = writesSeenBy(emulator).length;

    const sites = await place.read("zones/sites.yaml");
    await edit(place, "zones/sites.yaml", sites.replace("action: log", "action: allow"));
    const config = await place.read("zonewarden.yaml");
    await edit(place, "zonewarden.yaml", `${config}limits: { weakening: refuse }\n`);
    await logged(daemon, "configuration applied");
    await edit(place, "zones/broken.yaml", "zones: [");
    await logged(daemon, "revision partially applied");
    expect(writesSeenBy(emulator)).toHaveLength(writes);

    daemon.signal("SIGHUP");
    await eventually("the change written", () =>
      logLines(daemon).find(
        (line) =>
          line["msg"] === "plan applied" && line["zone"] === brand && line["trigger"] !== "startup",
      ),
    );
    expect(writesSeenBy(emulator)).toHaveLength(writes + 1);
    expect(await stop(daemon)).toBe(0);
  });
});
