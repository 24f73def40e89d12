import { rename, rm } from "node:fs/promises";
import path from "node:path";

import { describe, it } from "vitest";

import type { Host } from "../../src/host/host.ts";
import { fillDirectory } from "../../src/memory/directory/directory-store.ts";
import { historyFile } from "../../src/memory/directory/history-file.ts";
import { nodeStateDirectory } from "../../src/memory/directory/state-directory.ts";
import { coerceObject, coerceText, type JsonObject } from "../../src/syntax/json.ts";
import { SimulatedClock } from "../support/clock.ts";
import type { Started } from "../support/command-line.ts";
import { control, type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { logged, logLines } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { ask, stop, textFrom } from "../support/running.ts";
import { allRun } from "../support/settled-example.ts";

const shop = "shop.example.com";
const config = 'schedule: { cron: "0 * * * *" }\n';

function shopHeld(daemon: Started): Promise<JsonObject> {
  return logged(daemon, "plan held", { zone: shop });
}

/** Holds the plan of the shop, and accepts it. */
async function acceptPlan({ place }: Example): Promise<void> {
  const limits = "limits: { max_update_share: 0.1 }\n";
  const file = await place.read("zonewarden.yaml");
  await place.write("zonewarden.yaml", `${file}${limits}`);
  const { stdout } = await place.run("plan", shop);
  const hash = /--accept\s+([0-9a-f]{64})/.exec(stdout)?.[1];
  if (hash === undefined) throw new Error(stdout);
  const accepting = limits.replace("0.1", `0.1, accept: ["${hash}"]`);
  await place.write("zonewarden.yaml", `${file}${accepting}`);
}

describe("a daemon whose state directory", () => {
  it("cannot be made waits until it can, says so, and reconciles nothing before", async ({
    expect,
  }) => {
    const clock = new SimulatedClock();
    await using example = await exampleWithEmulator({
      config: `schedule: { cron: "0 * * * *", debounce: 1h }\nstore: { path: blocked/state }\n`,
      ports: { clock },
    });
    const { place, emulator } = example;
    // A file in the place of a directory stops every user, root too.
    await place.write("blocked", "");
    const daemon = place.start("run");
    const message = "the store cannot be opened: nothing is reconciled before it is";
    const { level, path: named } = await logged(daemon, message);
    expect([level, named]).toEqual(["error", path.join(place.directory, "blocked/state")]);
    expect(await textFrom(daemon, "metrics")).toMatch(
      /^zonewarden_state_last_write_successful 0$/m,
    );
    expect(await textFrom(daemon, "/")).toContain("The store cannot be opened.");
    const ready = await ask(daemon, "/readyz");
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining("[-]leader")]);
    expect((await ask(daemon, "/livez")).status).toBe(200);
    await clock.advance(60_000);
    expect(emulator.journal()).toEqual([]);
    expect(logLines(daemon).filter(({ msg }) => msg === message)).toHaveLength(1);

    // It begins with the configuration as it is then.
    await place.edit("zonewarden.yaml", "mode: enforce", "mode: observe");
    await rm(path.join(place.directory, "blocked"));
    await clock.advance(5_000);
    await allRun(daemon);
    expect(writesSeenBy(emulator)).toEqual([]);
    expect(await place.read("blocked/state/state.lock")).toContain('"pid"');
    expect((await ask(daemon, "/readyz")).status).toBe(200);
    expect(await textFrom(daemon, "metrics")).toMatch(
      /^zonewarden_state_last_write_successful 1$/m,
    );
    expect(await stop(daemon)).toBe(0);
  });

  it("has no usable history waits until it has, and says once what was found in the state", async ({
    expect,
  }) => {
    const clock = new SimulatedClock();
    await using example = await exampleWithEmulator({
      config: `${config}store: { path: state }\n`,
      ports: { clock },
    });
    const { place, emulator } = example;
    await place.write("state/state.jsonl", "[]\n");
    await place.write("state/history.jsonl", "a token\n");
    const daemon = place.start("run");
    const unopened = "the store cannot be opened: nothing is reconciled before it is";
    const { error } = await logged(daemon, unopened);
    expect(error).toContain("history.jsonl is not a history file");
    await clock.advance(60_000);
    expect((await ask(daemon, "/readyz")).status).toBe(503);
    expect(emulator.journal()).toEqual([]);
    await place.remove("state/history.jsonl");
    await clock.advance(5_000);
    await logged(daemon, "plan applied", { zone: shop });
    expect(await place.read("state/history.jsonl")).toContain(shop);
    expect(await textFrom(daemon, "")).toContain("The state could not be used at the start");
    const reasons = logLines(daemon).map((line) => coerceText(line["error"] ?? line["detail"]));
    for (const each of ["line 1 is damaged", "is not a history file"]) {
      expect(reasons.filter((reason) => reason.includes(each))).toHaveLength(1);
    }
    expect(await stop(daemon)).toBe(0);
  });

  it("cannot be made ends at a signal, and when another process uses it", async ({ expect }) => {
    const clock = new SimulatedClock();
    await using example = await exampleWithEmulator({
      config: `${config}store: { path: blocked/state }\n`,
      ports: { clock },
    });
    const { place } = example;
    await place.write("blocked", "");
    const stopped = place.start("run");
    await logged(stopped, "the store cannot be opened: nothing is reconciled before it is");
    expect(await stop(stopped)).toBe(0);

    const daemon = place.start("run");
    await logged(daemon, "the store cannot be opened: nothing is reconciled before it is");
    await rm(path.join(place.directory, "blocked"));
    let beat = 0;
    let code: number | undefined;
    void daemon.ended.then((ran) => (code = ran.code));
    const end = await eventually("it has ended", async () => {
      const holder = { id: "other", pid: 7, host: "there", beat: (beat += 1) };
      await place.write("blocked/state/state.lock", JSON.stringify(holder));
      await clock.advance(5_000);
      return code;
    });
    expect(end).toBe(1);
  });

  it("has only a copy that was set aside uses no release, and goes on with no step", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator({
      config: `${config}store: { path: state }\n`,
    });
    const { place, emulator } = example;
    const directory = path.join(place.directory, "state");
    const identity = { owner: "zonewarden", service: emulator.baseUrl };
    const steps = new Map([[`steps/${shop}`, '{"paused":"mia"}']]);
    await fillDirectory(nodeStateDirectory(directory), identity, steps, () => Promise.resolve());
    await rename(
      path.join(directory, "state.jsonl"),
      path.join(directory, "state.jsonl.damaged-2026-11-20-1"),
    );
    await acceptPlan(example);
    const daemon = place.start("run");
    await shopHeld(daemon);
    expect(await stop(daemon)).toBe(0);
    const state = await place.read("state/state.jsonl");
    expect(state).toContain(`["steps/${shop}",null]`);
    expect(state).toContain('["former-term","{');
  });

  it("another may use says so, and ends when that lives or at a signal", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config: "store: { path: state }" });
    const { place } = example;
    const holder = { id: "other", pid: 7, host: "there", beat: 3 };
    await place.write("state/state.lock", JSON.stringify(holder));
    const daemon = place.start("run");
    await logged(daemon, "the store is in use: waiting whether that lives");
    daemon.signal("SIGTERM");
    const { code, stderr } = await daemon.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^the store is in use by process 7 on there: .*\n$/);
  });

  it.for([
    { what: "can be written again, stores its history first", isMended: true, code: 0 },
    { what: "cannot be written, logs what is lost of its history", isMended: false, code: 1 },
  ])("at its stop $what", async ({ isMended, code }, { expect }) => {
    const clock = new SimulatedClock();
    let isFull = true;
    let attempts = 0;
    const historyStore: Host["historyStore"] = (file) => {
      const real = historyFile(file);
      const add: typeof real.add = (batch) => {
        attempts += 1;
        return isFull ? Promise.reject(new Error("ENOSPC")) : real.add(batch);
      };
      return { ...real, add };
    };
    await using example = await exampleWithEmulator({
      config: `${config}store: { path: state }\n`,
      ports: { clock, historyStore },
    });
    const daemon = example.place.start("run");
    await logged(daemon, "plan applied", { zone: shop });
    const unwritten = await textFrom(daemon, "metrics");
    expect(unwritten).toMatch(/^zonewarden_state_last_write_successful 0$/m);
    let ended: number | undefined;
    void daemon.ended.then((ran) => (ended = ran.code));
    daemon.signal("SIGTERM");
    const passing = (what: string, isSo: () => boolean): Promise<true> =>
      eventually(what, async () => {
        await clock.advance(1_000);
        return isSo() || undefined;
      });
    const before = attempts;
    await passing("it tries again and again", () => attempts > before + 5);
    expect(ended).toBeUndefined();
    isFull = !isMended;
    await passing("it has ended", () => ended !== undefined);
    expect(ended).toBe(code);
    const kept = await example.place.read("state/history.jsonl").catch(() => "");
    expect(kept.includes(`"zone":"${shop}"`)).toBe(isMended);
    const lost = logLines(daemon).filter(
      ({ msg }) => msg === "a line of the history is not stored",
    );
    const zones = lost.map(({ line }) => coerceObject(line)["zone"]);
    expect(zones.includes(shop)).toBe(!isMended);
  });

  it("is damaged says so, and if it is removed while it runs, it writes its state anew", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator({
      config: `${config}store: { path: state }\n`,
    });
    const { place } = example;
    await place.write("state/state.jsonl", "[]\n");
    const daemon = place.start("run");
    expect(await textFrom(daemon, "")).toContain("The state could not be used at the start");
    const isStored = async (text: string): Promise<true | undefined> =>
      (await place.read("state/state.jsonl").catch(() => "")).includes(text) ? true : undefined;
    await eventually("the zones are in the state", () => isStored("applied/shop.example.com"));
    // The daemon may be writing in it just now.
    await rm(path.join(place.directory, "state"), { recursive: true, maxRetries: 20 });
    const set = { paranoia_level: 1 };
    await control(example, "edit", { zone: "shop.example.com", rule: "zonewarden:owasp", set });
    daemon.signal("SIGHUP");
    await eventually("the state is there again", () => isStored("applied/shop.example.com"));
    expect(await stop(daemon)).toBe(0);
  });
});
