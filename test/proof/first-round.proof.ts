import { rm } from "node:fs/promises";
import path from "node:path";

import { describe, it } from "vitest";

import { coerceObject, coerceText, type JsonObject } from "../../src/syntax/json.ts";
import { exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { hashToAccept } from "../support/held.ts";
import { declarationOf, namesOfFleet, seedOfFleet } from "../support/large-fleet.ts";
import { type Daemon, eventually, startDaemon } from "../support/processes.ts";
import { plantedToken } from "../support/service.ts";

const names = namesOfFleet(40);
const env = { ZONEWARDEN_API_TOKEN: plantedToken };
const config = 'schedule: { cron: "* * * * * *" }\nstore: { path: state }\n';

async function desiredOf({ address }: Daemon): Promise<JsonObject> {
  const fleet = coerceObject(await (await fetch(`${address}/api/v1/fleet`)).json());
  return coerceObject(fleet["desired"]);
}

async function textOf({ address }: Daemon, place: string): Promise<string> {
  return await (await fetch(`${address}${place}`)).text();
}

async function held(daemon: Daemon): Promise<string> {
  return await eventually("the fleet is held", async () => {
    const { held: revision } = await desiredOf(daemon);
    if (revision === null || revision === undefined) return undefined;
    return hashToAccept(coerceText(coerceObject(revision)["message"]));
  });
}

describe("a revision that weakens every zone", () => {
  it("is not written by a daemon that lost its state, until a person accepts it", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator({ seed: seedOfFleet(names), config });
    const { place, emulator } = example;
    await place.remove("zones");
    await place.write("zones/fleet.yaml", declarationOf(names));
    {
      await using daemon = await startDaemon(place.directory, env);
      await eventually("the revision is in the state", async () =>
        (await place.read("state/state.jsonl").catch(() => "")).includes("revision")
          ? true
          : undefined,
      );
      await daemon.end("SIGTERM");
    }
    const written = writesSeenBy(emulator).length;
    const weaker = declarationOf(names).replaceAll("enabled: true }", "enabled: false }");
    await place.write("zones/fleet.yaml", weaker);
    {
      await using daemon = await startDaemon(place.directory, env);
      await eventually("the revision is held", async () =>
        (await desiredOf(daemon))["result"] === "held" ? true : undefined,
      );
      await daemon.end("SIGKILL");
    }
    await rm(path.join(place.directory, "state"), { recursive: true });

    // It is killed in the middle of the first round, and after it.
    for (const isHeld of [false, true, false, true]) {
      await using daemon = await startDaemon(place.directory, env);
      if (isHeld) await held(daemon);
      await daemon.end("SIGKILL");
    }
    expect(writesSeenBy(emulator)).toHaveLength(written);

    {
      await using daemon = await startDaemon(place.directory, env);
      const hash = await held(daemon);
      expect(daemon.output()).toContain('"msg":"revision held"');
      expect(daemon.output()).toContain(hash);
      const metrics = await textOf(daemon, "/metrics");
      expect(metrics).toMatch(/^zonewarden_files_held_info\{/m);
      expect(metrics.match(/^zonewarden_zone_held\{.*fleet_change"\} 1$/gm)).toHaveLength(40);
      expect(await textOf(daemon, "/")).toContain("Nothing is written.");
      expect(await textOf(daemon, "/diagnostics")).toContain(hash);
      expect(await desiredOf(daemon)).toMatchObject({ result: "held", held: { zones: 40 } });
      expect(writesSeenBy(emulator)).toHaveLength(written);

      const file = await place.read("zonewarden.yaml");
      await place.write("zonewarden.yaml", `${file}limits: { accept: ["${hash}"] }\n`);
      daemon.signal("SIGHUP");
      await eventually("all zones are written", () =>
        daemon.output().split('"msg":"plan applied"').length === 41 ? true : undefined,
      );
      await eventually("nothing is held any more", async () =>
        (await desiredOf(daemon))["held"] === null ? true : undefined,
      );
      await daemon.end("SIGTERM");
      await place.write("zonewarden.yaml", file);
    }
    const accepted = writesSeenBy(emulator).length;
    expect(accepted).toBeGreaterThanOrEqual(written + 40);
    await using daemon = await startDaemon(place.directory, env);
    await eventually("a sweep has ended", async () =>
      (await textOf(daemon, "/api/v1/fleet")).includes('"in_sync":40') ? true : undefined,
    );
    expect(daemon.output()).not.toContain("first round");
    expect(daemon.output()).not.toContain("revision held");
    expect(await desiredOf(daemon)).toMatchObject({ held: null });
    expect(writesSeenBy(emulator)).toHaveLength(accepted);
  });
});
