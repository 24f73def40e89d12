import { describe, it } from "vitest";

import { type FilePort, nodeFiles } from "../../src/desired/file-system.ts";
import { SimulatedClock } from "../support/clock.ts";
import { exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { logLines, logged } from "../support/log-lines.ts";
import { installation, noPostgres, sharedPostgres } from "../support/postgres.ts";
import { eventually } from "../support/processes.ts";
import { jsonFrom, stop } from "../support/running.ts";
import { allRun } from "../support/settled-example.ts";

describe.skipIf(noPostgres)(`a daemon that waits for the Lease ${noPostgres ?? ""}`, () => {
  it("leads with the configuration as it is then, and shows its zones until the Lease is lost", async ({
    expect,
  }) => {
    const { url, name } = await installation();
    const server = await sharedPostgres();
    const setLease = (set: string): Promise<unknown> =>
      server.query(`UPDATE zonewarden.lease SET version = version + 1, ${set}`, name);
    await setLease("holder = 'b'");

    const clock = new SimulatedClock();
    let isSlow = false;
    const read: FilePort["read"] = async (file, limit, signal) => {
      if (isSlow && file.endsWith("zonewarden.yaml")) await clock.sleep(1_000, signal);
      return nodeFiles.read(file, limit, signal);
    };
    await using example = await exampleWithEmulator({
      config: `schedule: { cron: "0 * * * *", on_change: false }
store: { postgres: { url_file: database-url } }`,
      ports: { clock, files: { ...nodeFiles, read }, sinceBootMs: () => clock.monotonicMs() },
    });
    const { place } = example;
    await place.write("database-url", url);
    const daemon = place.start("run");
    /** Lets time pass until something is said. */
    const passing = (message: string, stepMs: number): Promise<true> =>
      eventually(message, async () => {
        await clock.advance(stepMs);
        return logLines(daemon).some(({ msg }) => msg === message) || undefined;
      });

    await logged(daemon, "waiting for leadership");
    const enforcing = await place.read("zonewarden.yaml");
    await place.write("zonewarden.yaml", enforcing.replace("mode: enforce", "mode: observe"));
    await setLease("holder = '', released_by = 'b'");
    isSlow = true;
    await passing("leadership acquired", 500);
    await passing("revision applied", 100);
    await allRun(daemon);
    expect(writesSeenBy(example.emulator)).toEqual([]);

    await setLease("holder = 'b'");
    await passing("leadership lost", 500);
    expect((await jsonFrom(daemon, "api/v1/zones"))["source"]).toBe("store");
    expect(await stop(daemon)).toBe(0);
  });
});
