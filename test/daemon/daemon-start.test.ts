import { describe, it } from "vitest";

import { nodeFiles } from "../../src/desired/file-system.ts";
import type { Host } from "../../src/host/host.ts";
import { nodeNamedFiles } from "../../src/host/named-files.ts";
import { nodeStateDirectory } from "../../src/memory/directory/state-directory.ts";
import type { JsonObject } from "../../src/syntax/json.ts";
import { SimulatedClock } from "../support/clock.ts";
import { control, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { logLines, logged } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { ask, stop, textFrom } from "../support/running.ts";

const shop = "shop.example.com";

const everyHour = 'schedule: { cron: "0 * * * *" }';

/** Reads the files of a pod whose account has a namespace, and no token. */
async function readWithoutToken(file: string): Promise<Buffer> {
  if (!file.endsWith("/namespace")) throw new Error("no such file");
  return Promise.resolve(Buffer.from("zonewarden"));
}

describe("a daemon that starts", () => {
  it("exports version and commit of its image, and says that its pod can write no Events", async ({
    expect,
  }) => {
    const env = {
      ZONEWARDEN_API_TOKEN: "emulator-token",
      ZONEWARDEN_REVISION: "0a1b2c3d",
      ZONEWARDEN_POD_NAME: "zonewarden-0",
      ZONEWARDEN_POD_UID: "8f2a",
      KUBERNETES_SERVICE_HOST: "127.0.0.1",
    };
    const ports = { env, namedFiles: { ...nodeNamedFiles, read: readWithoutToken } };
    await using example = await exampleWithEmulator({ config: everyHour, ports });
    const daemon = example.place.start("run");
    expect(await textFrom(daemon, "/metrics")).toMatch(
      /^zonewarden_build_info\{version="[\d.]+",revision="0a1b2c3d",/m,
    );
    await logged(daemon, "plan applied", { zone: shop });
    expect(await stop(daemon)).toBe(0);
    expect(logLines(daemon).at(-1)).toMatchObject({ msg: "Events cannot be written" });
  });

  it("takes in a configuration that changes before it watches the file", async ({ expect }) => {
    const edit = Promise.withResolvers<() => Promise<void>>();
    const stateDirectory: Host["stateDirectory"] = (directory) => {
      const real = nodeStateDirectory(directory);
      const read: typeof real.read = async (name) => {
        await (
          await edit.promise
        )();
        return real.read(name);
      };
      return { ...real, read };
    };
    const clock = new SimulatedClock();
    let isSlow = false;
    const read: Host["files"]["read"] = async (file, limit, signal) => {
      if (isSlow && file.endsWith("zonewarden.yaml")) await clock.sleep(1_000, signal);
      return nodeFiles.read(file, limit, signal);
    };
    await using example = await exampleWithEmulator({
      config: `${everyHour}\nstore: { path: state }`,
      ports: { stateDirectory, clock, files: { ...nodeFiles, read } },
    });
    const { place } = example;
    const before = await place.read("zonewarden.yaml");
    const daemon = place.start("run");
    const passing = (message: string): Promise<JsonObject> =>
      eventually(message, async () => {
        await clock.advance(100);
        return logLines(daemon).find(({ msg }) => msg === message);
      });
    edit.resolve(() => {
      isSlow = true;
      return place.write("zonewarden.yaml", before.replace("enforce", "observe"));
    });
    expect((await passing("configuration applied"))["keys"]).toEqual(["mode"]);
    await passing("revision applied");
    expect(await stop(daemon)).toBe(0);
    expect(writesSeenBy(example.emulator)).toEqual([]);
  });

  it("without a token is alive and ready, logs why nothing happens, and continues once there is one", async ({
    expect,
  }) => {
    const config = `${everyHour}
credentials: [{ name: main, token_file: token }]
rollout: { waves: [{ zones: [${shop}] }, { share: 100% }] }
store: { path: state }`;
    await using example = await exampleWithEmulator({ config });
    const daemon = example.place.start("run");
    await logged(daemon, "revision applied");
    const { code, error } = await logged(daemon, "zones cannot be listed");
    expect(code).toBe("API_NO_TOKEN");
    expect(error).toContain("check the token_file");
    expect((await ask(daemon, "/livez")).status).toBe(200);
    // The files are read while the zones are asked for.
    await eventually("it is ready", async () =>
      (await ask(daemon, "/readyz")).status === 200 ? true : undefined,
    );
    expect(example.emulator.journal()).toEqual([]);

    await example.place.write("token", "emulator-token\n");
    daemon.signal("SIGHUP");
    await logged(daemon, "plan applied", { zone: shop });
    await eventually("it asks when the token expires", () =>
      example.emulator.journal().some(({ path }) => path.endsWith("/user/tokens/verify"))
        ? true
        : undefined,
    );
    expect(await stop(daemon)).toBe(0);
  });

  it("exports that its token is refused, and runs its zones once it is accepted", async ({
    expect,
  }) => {
    const config = `${everyHour}\ncredentials: [{ name: main, token_file: token }]`;
    const clock = new SimulatedClock();
    await using example = await exampleWithEmulator({ config, ports: { clock } });
    /** Lets time pass until the shop is run: what caused it. */
    const untilRun = (message: string, trigger: string): Promise<true> =>
      eventually(`${message}: ${trigger}`, async () => {
        await clock.advance(1_000);
        const runs = logLines(daemon).filter(({ msg, zone }) => msg === message && zone === shop);
        return runs.some((line) => line["trigger"] === trigger) || undefined;
      });
    await example.place.write("token", "revoked-long-ago\n");
    const daemon = example.place.start("run");
    await logged(daemon, "zones cannot be listed", { code: "API_UNAUTHORIZED" });
    expect(await textFrom(daemon, "/metrics")).toMatch(
      /^zonewarden_api_token_valid\{credential="main"\} 0$/m,
    );
    await example.place.write("token", "emulator-token\n");
    await untilRun("plan applied", "startup");
    expect(await textFrom(daemon, "/metrics")).toMatch(
      /^zonewarden_api_token_valid\{credential="main"\} 1$/m,
    );
    await control(example, "edit", { zone: shop, settings: { enabled: false } });
    await control(example, "faults", { fault: "status", status: 401 });
    daemon.signal("SIGHUP");
    await untilRun("reconcile failed", "signal");
    await fetch(`${example.emulator.url}/_emulator/faults`, { method: "DELETE" });
    // A listing finds that the token is accepted again; the zones are not left to the next sweep.
    await untilRun("plan applied", "retry");
    expect(await stop(daemon)).toBe(0);
  });

  it("with one broken file among good ones is ready, says where, and runs the other zones", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator({ config: everyHour });
    const { place } = example;
    const good = await place.read("zones/shop.yaml");
    await place.write("zones/shop.yaml", "zones: [");
    const daemon = place.start("run");
    await logged(daemon, "file diagnostic", { at: "shop.yaml:1:9" });
    const partial = { result: "partial", level: "warn", errors: 1, files: "shop.yaml" };
    await logged(daemon, "revision partially applied", partial);
    const ready = await ask(daemon, "/readyz");
    expect([ready.status, await ready.text()]).toEqual([200, "ok\n"]);
    expect(await textFrom(daemon, "/")).toContain("The files are partially applied.");
    const metrics = await textFrom(daemon, "/metrics");
    expect(metrics).toMatch(/^zonewarden_files_reloads_total\{result="partial"\} 1$/m);
    expect(metrics).toMatch(/^zonewarden_files_last_reload_successful 0$/m);
    await logged(daemon, "plan applied", { zone: "www.brand.example" });
    expect(writesSeenBy(example.emulator).join(" ")).not.toContain("PATCH");

    await place.write("zones/shop.yaml", good);
    await logged(daemon, "plan applied", { zone: shop });
    expect((await ask(daemon, "/readyz")).status).toBe(200);
    expect(await stop(daemon)).toBe(0);
  });

  it("with only broken files is alive and not ready, says what to do, and is ready once one is repaired", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator({ config: everyHour });
    const { place } = example;
    for (const file of ["baseline", "shop", "sites"]) {
      await place.write(`zones/${file}.yaml`, "zones: [");
    }
    const daemon = place.start("run");
    await logged(daemon, "revision rejected", { result: "rejected", errors: 3 });
    expect(await textFrom(daemon, "/livez?verbose")).toMatch(/^\[\+\]workers ok$/m);
    const answer = await ask(daemon, "/readyz");
    expect(answer.status).toBe(503);
    expect(await answer.text()).toMatch(
      /^\[-\]desired-state failed: no revision is active, .* 3 errors in baseline\.yaml, shop\.yaml, sites\.yaml; baseline\.yaml:1: /m,
    );
    expect(await textFrom(daemon, "/")).toContain("No revision is active");
    expect(writesSeenBy(example.emulator)).toEqual([]);

    await place.write("zones/shop.yaml", `zones: [{ name: ${shop} }]\n`);
    await logged(daemon, "revision partially applied");
    expect((await ask(daemon, "/readyz")).status).toBe(200);
    expect(await stop(daemon)).toBe(0);
  });

  it("with no zone on purpose is ready", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config: everyHour });
    const { place } = example;
    for (const file of ["baseline", "shop"]) await place.remove(`zones/${file}.yaml`);
    await place.write("zones/sites.yaml", "zones: []\n");
    const daemon = place.start("run");
    await logged(daemon, "revision applied", { zones: 0 });
    const ready = await ask(daemon, "/readyz");
    expect([ready.status, await ready.text()]).toEqual([200, "ok\n"]);
    expect(await stop(daemon)).toBe(0);
  });
});

describe("a configuration key that can change while the daemon runs", () => {
  it("is active at once: log level, schedule, limits, windows", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config: everyHour });
    const { place } = example;
    const daemon = place.start("run");
    await logged(daemon, "plan applied", { zone: shop });
    await logged(daemon, "plan applied", { zone: "www.brand.example" });
    const file = await place.read("zonewarden.yaml");
    const nextSweep = async (): Promise<string> => {
      const series = /^zonewarden_schedule_interval_seconds (.*)$/m;
      return series.exec(await textFrom(daemon, "/metrics"))?.[1] ?? "";
    };
    expect(await nextSweep()).toBe("3600");
    expect(logLines(daemon).filter(({ level }) => level === "debug")).toEqual([]);

    const hold = 'windows: [{ name: sale, type: freeze, start: "* * * * *", duration: 1h }]';
    const changed = file
      .replace("level: info", "level: debug")
      .replace(
        'cron: "0 * * * *"',
        'cron: ["*/10 * * * *", "5 4 * * *"], timezone: Asia/Kathmandu',
      );
    await place.write("zonewarden.yaml", `${changed}\n${hold}\nlimits: { weakening: refuse }\n`);
    const { keys } = await logged(daemon, "configuration applied");
    expect(keys).toEqual(["limits", "windows", "schedule.cron", "schedule.timezone", "log.level"]);
    expect(await nextSweep()).toBe("600");
    await eventually("a debug line", () => logLines(daemon).find(({ level }) => level === "debug"));

    const written = writesSeenBy(example.emulator).length;
    await control(example, "edit", { zone: shop, settings: { enabled: false } });
    daemon.signal("SIGHUP");
    const held = await logged(daemon, "plan held", { zone: shop });
    expect(JSON.stringify(held["holds"])).toContain("freeze");
    expect(writesSeenBy(example.emulator)).toHaveLength(written);

    await place.write("zonewarden.yaml", file);
    const applied = await eventually("the plan is applied", () =>
      logLines(daemon)
        .filter(({ msg, zone }) => msg === "plan applied" && zone === shop)
        .at(1),
    );
    // A sweep of the other schedule may have been due at this very moment.
    expect(applied["trigger"]).toMatch(/^(due|schedule)$/);
    expect(await stop(daemon)).toBe(0);
  });
});
