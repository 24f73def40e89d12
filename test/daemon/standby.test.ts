import { describe, it } from "vitest";

import { type FilePort, nodeFiles } from "../../src/desired/file-system.ts";
import { SimulatedClock } from "../support/clock.ts";
import type { Started } from "../support/command-line.ts";
import { exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { logLines, logged } from "../support/log-lines.ts";
import { installation, noPostgres, sharedPostgres } from "../support/postgres.ts";
import { eventually } from "../support/processes.ts";
import { ask, jsonFrom, stop, textFrom } from "../support/running.ts";
import { seriesIn } from "../support/scrapes.ts";
import { allRun } from "../support/settled-example.ts";

/** Opens a page of a daemon; gives how often it was told to load anew. */
async function openPage(daemon: Started): Promise<() => number> {
  const { body } = await ask(daemon, "events");
  let text = "";
  const reading = async (): Promise<void> => {
    for await (const piece of body ?? []) text += Buffer.from(piece).toString();
  };
  // The daemon ends the connection.
  reading().catch(() => undefined);
  return () => text.split("event: changed").length - 1;
}

describe.skipIf(noPostgres)(`a daemon that waits for the Lease ${noPostgres ?? ""}`, () => {
  it("leads with the configuration as it is then, and shows its zones until the Lease is lost", async ({
    expect,
  }) => {
    const { url, name } = await installation();
    const server = await sharedPostgres();
    const setLease = (set: string): Promise<unknown> =>
      server.query(`UPDATE zonewarden.lease SET version = version + 1, ${set}`, name);
    const takeLease = (): Promise<unknown> => setLease("holder = 'b', duration_ms = 3600000");
    const giveLeaseBack = (): Promise<unknown> => setLease("holder = '', released_by = 'b'");
    await takeLease();

    const clock = new SimulatedClock();
    const pageIsTold = Promise.withResolvers<void>();
    let slowMs = 0;
    const read: FilePort["read"] = async (file, limit, signal) => {
      if (file.endsWith("zonewarden.yaml") && slowMs > 0) await clock.sleep(slowMs, signal);
      if (file.includes("/zones/")) await pageIsTold.promise;
      return nodeFiles.read(file, limit, signal);
    };
    await using example = await exampleWithEmulator({
      config: `schedule: { cron: "0 * * * *", debounce: 1h }
store: { postgres: { url_file: database-url } }`,
      ports: { clock, files: { ...nodeFiles, read }, sinceBootMs: () => clock.monotonicMs() },
    });
    const { place } = example;
    await place.write("database-url", url);
    const daemon = place.start("run");
    /** Lets time pass until something is said for the first time, or again. */
    const passing = (message: string, stepMs: number, times = 1): Promise<true> =>
      eventually(message, async () => {
        await clock.advance(stepMs);
        return logLines(daemon).filter(({ msg }) => msg === message).length >= times || undefined;
      });
    const source = async (): Promise<unknown> => (await jsonFrom(daemon, "api/v1/zones"))["source"];

    await logged(daemon, "waiting for leadership");
    // Another process sweeps, and finds changes of files.
    daemon.signal("SIGHUP");
    await clock.advance(30_000);
    expect(await source()).toBe("store");
    const changes = await openPage(daemon);
    await place.edit("zonewarden.yaml", "mode: enforce", "mode: observe");
    await giveLeaseBack();
    slowMs = 1_000;
    await passing("leadership acquired", 500);
    await eventually("the page is told who leads now", async () => {
      await clock.advance(100);
      return changes() > 0 || undefined;
    });
    pageIsTold.resolve();
    await passing("revision applied", 100);
    await allRun(daemon);
    expect(writesSeenBy(example.emulator)).toEqual([]);
    const predicted = seriesIn(await textFrom(daemon, "metrics"));
    expect(predicted.get("zonewarden_sweep_predicted_seconds")).toBeGreaterThan(0);

    await clock.advance(1_000);
    const before = changes();
    await takeLease();
    await passing("leadership lost", 500);
    await eventually("the page is told of the loss", () => changes() > before || undefined);
    expect(await source()).toBe("store");
    await passing("history head", 500);

    await giveLeaseBack();
    slowMs = 60_000;
    await passing("leadership acquired", 500, 2);
    await takeLease();
    await passing("leadership lost", 500, 2);
    // What began too late ends: its history says so at its start and at its stop.
    await passing("history head", 5_000, 3);
    expect(await source()).toBe("store");
    expect(await stop(daemon)).toBe(0);
  });
});
