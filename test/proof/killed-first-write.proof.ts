import { setTimeout as sleep } from "node:timers/promises";

import { describe, it } from "vitest";

import { coerceObject, coerceObjects, coerceText, coerceTexts } from "../../src/syntax/json.ts";
import { control, type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { eventually, startDaemon } from "../support/processes.ts";

/** What the history says of the shop since a number of entries: `RESULT CAUSES`. */
async function entriesOf({ place }: Example, from: number): Promise<readonly string[]> {
  const { stdout } = await place.run("history", "shop.example.com", "--format", "json");
  const entries = coerceObjects(coerceObject(JSON.parse(stdout))["entries"]);
  return entries
    .slice(from)
    .map(({ result, causes }) => `${coerceText(result)} ${coerceTexts(causes).join()}`);
}

describe("a daemon that is killed at its first write", () => {
  it("finds no drift after the files were reverted", async ({ expect }) => {
    const writing = Promise.withResolvers<undefined>();
    await using example = await exampleWithEmulator({
      config: "store: { path: state }",
      sleep: async (ms, signal) => {
        writing.resolve(undefined);
        await sleep(ms, undefined, { signal });
      },
    });
    const { place, emulator } = example;
    const before = await place.read("zones/shop.yaml");
    {
      await using daemon = await startDaemon(place.directory);
      await eventually(
        "the zone is as declared",
        async () =>
          (await entriesOf(example, 0)).some((each) => each.startsWith("applied")) || undefined,
      );
      await daemon.end("SIGTERM");
    }
    const entries = (await entriesOf(example, 0)).length;
    const written = writesSeenBy(emulator).length;
    // The first write of the new files reaches the service, and the process hears nothing of it any more.
    await control(example, "faults", {
      fault: "latency",
      milliseconds: 1,
      method: "PUT",
      count: 1,
    });
    await place.write(
      "zones/shop.yaml",
      before.replace("cdn.example.net, pay", "cdn.example.org, pay"),
    );
    {
      await using daemon = await startDaemon(place.directory);
      await writing.promise;
      await daemon.end("SIGKILL");
    }
    await eventually(
      "the write has its effect",
      () => writesSeenBy(emulator).length > written || undefined,
    );
    await place.write("zones/shop.yaml", before);
    {
      await using daemon = await startDaemon(place.directory);
      await eventually(
        "the zone is as declared again",
        async () =>
          (await entriesOf(example, entries)).some((each) => each.startsWith("applied")) ||
          undefined,
      );
      await daemon.end("SIGTERM");
    }
    expect(await entriesOf(example, entries)).toEqual(["interrupted pending", "applied unknown"]);
  });
});
