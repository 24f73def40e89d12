import { setTimeout as sleep } from "node:timers/promises";

import { describe, it } from "vitest";

import { coerceObject } from "../../src/syntax/json.ts";
import { exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { eventually, startDaemon } from "../support/processes.ts";

const config = 'schedule: { cron: "* * * * * *" }\nstate: { path: state }';

/** The result of the last load of a daemon. */
async function loadOf(address: string): Promise<unknown> {
  const fleet = coerceObject(await (await fetch(`${address}/api/v1/fleet`)).json());
  return coerceObject(fleet["desired"])["result"];
}

describe("a revision that a guard holds", () => {
  it("stays held over 20 restarts, by TERM and KILL at any moment", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config });
    const { directory } = example.place;
    {
      await using daemon = await startDaemon(directory);
      await eventually("the zones are as declared", () =>
        daemon.output().split("plan applied").length > 2 ? true : undefined,
      );
      await eventually("the state is written", async () =>
        (await example.place.read("state/state.jsonl").catch(() => "")).includes("revision")
          ? true
          : undefined,
      );
      await daemon.end("SIGTERM");
    }
    // From now on, two of the example's three zones are too many for one step.
    const text = await example.place.read("zonewarden.yaml");
    await example.place.write("zonewarden.yaml", `${text}limits: { min_fleet: 2 }\n`);
    const profile = await example.place.read("zones/baseline.yaml");
    const weaker = profile.replace("score_threshold: medium", "score_threshold: low");
    await example.place.write("zones/baseline.yaml", weaker);
    const written = writesSeenBy(example.emulator).length;

    for (let restart = 0; restart < 20; restart += 1) {
      await using daemon = await startDaemon(directory);
      // Half of the processes are ended at any moment, the others once they have judged the files.
      if (restart % 2 === 0) {
        await eventually("the revision is held", async () =>
          (await loadOf(daemon.address)) === "held" ? true : undefined,
        );
      } else {
        await sleep(restart * 15);
      }
      await daemon.end(restart % 4 < 2 ? "SIGKILL" : "SIGTERM");
      expect(daemon.output()).not.toContain("plan applied");
    }
    expect(writesSeenBy(example.emulator)).toHaveLength(written);
  });
});
