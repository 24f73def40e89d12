import { setTimeout as sleep } from "node:timers/promises";

import { describe, it } from "vitest";

import { coerceObject, type JsonObject } from "../../src/syntax/json.ts";
import { control, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { eventually, startDaemon } from "../support/processes.ts";

const config = 'schedule: { cron: "* * * * * *" }\nstore: { path: state }';

const driftConfig = 'schedule: { cron: "* * * * * *" }\nstore: { path: state }';

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
    await example.place.edit(
      "zones/baseline.yaml",
      "score_threshold: medium",
      "score_threshold: low",
    );
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

/** What a daemon shows of the shop, once it has read it. */
async function shopOf(address: string): Promise<JsonObject> {
  return eventually("the shop is read", async () => {
    const response = await fetch(`${address}/api/v1/zones/shop.example.com`);
    const shop = coerceObject(await response.json());
    return typeof shop["last_attempt_at"] === "string" ? shop : undefined;
  });
}

describe("drift that weakens the protection and nobody corrects", () => {
  it("keeps its alert, history and start over 12 restarts, by TERM and KILL", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator({ config: driftConfig });
    const { place } = example;
    {
      await using daemon = await startDaemon(place.directory);
      await eventually("the zones are as declared", () =>
        daemon.output().split("plan applied").length > 2 ? true : undefined,
      );
      await daemon.end("SIGTERM");
    }
    const text = await place.read("zonewarden.yaml");
    await place.write("zonewarden.yaml", text.replace(/^mode: .*$/m, "mode: observe"));
    await control(example, "edit", {
      zone: "shop.example.com",
      rule: "zonewarden:owasp",
      set: { paranoia_level: 1 },
    });
    const starts = new Set<unknown>();
    for (let restart = 0; restart < 12; restart += 1) {
      await using daemon = await startDaemon(place.directory);
      const shop = await shopOf(daemon.address);
      expect(shop).toMatchObject({ status: "drifted", causes: ["drift"] });
      starts.add(shop["drifted_since"]);
      expect(await (await fetch(`${daemon.address}/metrics`)).text()).toContain(
        'zonewarden_drift_resources{zone="shop.example.com",kind="managed_rule",impact="weakens"} 1',
      );
      if (restart === 0) {
        await eventually("the start is stored", async () =>
          (await place.read("state/state.jsonl")).includes("drift/shop.example.com")
            ? true
            : undefined,
        );
      }
      await daemon.end(restart % 2 === 0 ? "SIGKILL" : "SIGTERM");
    }
    expect(starts.size).toBe(1);
    const { stdout } = await place.run("history", "shop.example.com", "--since", "1h");
    expect(stdout).toMatch(/drifted once, .*still drifting/);
    expect(stdout).toContain("somebody lowered the protection");
  });
});
