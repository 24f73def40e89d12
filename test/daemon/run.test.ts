import { describe, it } from "vitest";

import { coerceObjects } from "../../src/syntax/json.ts";
import { policiesOf } from "../support/ask.ts";
import type { Started } from "../support/command-line.ts";
import { control, exampleWithEmulator } from "../support/example.ts";
import { logLines } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { ask, jsonFrom, pageOf, stop, textFrom } from "../support/running.ts";
import { seriesIn } from "../support/scrapes.ts";

const everyHour = 'schedule: { cron: "0 * * * *" }';

function inSync(daemon: Started): Promise<number> {
  return eventually("every zone is in sync", async () => {
    const series = /^zonewarden_zone_status\{[^}]*status="in_sync"[^}]*\} 1$/gm;
    const count = (await textFrom(daemon, "metrics")).match(series)?.length ?? 0;
    return count === 3 ? count : undefined;
  });
}

describe("the daemon", () => {
  it("brings every zone in sync, corrects drift on SIGHUP, and ends cleanly", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator({ config: everyHour });
    const daemon = example.place.start("run");
    expect(await inSync(daemon)).toBe(3);
    expect((await ask(daemon, "/readyz")).status).toBe(200);
    expect((await ask(daemon, "/livez")).status).toBe(200);
    expect((await ask(daemon, "/healthz")).status).toBe(200);
    expect(await textFrom(daemon, "/")).toContain("shop.example.com");
    // No token permits it.
    const reconcile = new URL("api/v1/reconcile", await pageOf(daemon));
    expect((await fetch(reconcile, { method: "POST" })).status).toBe(404);

    await control(example, "edit", {
      zone: "shop.example.com",
      policy: "Scripts of the checkout",
      set: { action: "log" },
    });
    daemon.signal("SIGHUP");
    await eventually("the metrics count the drift", async () => {
      const text = await textFrom(daemon, "metrics");
      return /^zonewarden_drift_detected_total\{zone="shop\.example\.com"\} 1$/m.test(text)
        ? true
        : undefined;
    });
    expect(await inSync(daemon)).toBe(3);
    const { entries } = await jsonFrom(daemon, "api/v1/zones/shop.example.com/history");
    expect(coerceObjects(entries).at(-1)).toMatchObject({ result: "applied", trigger: "signal" });

    expect(await stop(daemon)).toBe(0);
    expect(logLines(daemon).at(-1)?.["msg"]).toBe("zonewarden stopped");
  });

  it("reconciles one zone when a request has the token, and logs the request", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator({
      config: everyHour,
      server: 'reconcile_token_file: "token"',
    });
    await example.place.write("token", "the-token\n");
    const daemon = example.place.start("run");
    await inSync(daemon);
    await control(example, "edit", { zone: "shop.example.com", settings: { enabled: false } });
    const page = await pageOf(daemon);
    const request = (token: string, zones = "?zone=shop.example.com"): Promise<Response> =>
      fetch(`${page}api/v1/reconcile${zones}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
      });
    expect((await request("another-token")).status).toBe(401);
    expect((await request("the-token")).status).toBe(202);
    const done = await eventually("the requested reconcile is applied", () =>
      logLines(daemon).find(({ msg, trigger }) => msg === "plan applied" && trigger === "manual"),
    );
    expect(done["zone"]).toBe("shop.example.com");
    const asked = logLines(daemon).filter(({ msg }) => msg === "reconcile requested");
    expect(asked).toMatchObject([
      { level: "warn", result: "wrong_token" },
      { level: "info", result: "accepted" },
    ]);
    expect(daemon.stdout()).not.toContain("the-token");
    expect((await request("the-token", "")).status).toBe(202);
    const counted = 'zonewarden_reconcile_total{trigger="manual",result=';
    const series = await eventually("all zones are run", async () => {
      const found = seriesIn(await textFrom(daemon, "metrics"));
      return found.get(`${counted}"in_sync"}`) === 3 ? found : undefined;
    });
    expect(series.get(`${counted}"applied"}`)).toBe(1);
    await stop(daemon);
  });

  it("applies a changed file by itself", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config: everyHour });
    const daemon = example.place.start("run");
    await inSync(daemon);
    await example.place.write(
      "zones/new.yaml",
      `zones:
  - name: old.brand.example
    page_shield:
      policies:
        items: [{ key: new, description: New, action: log, expression: "true", value: "script-src 'self'" }]
`,
    );
    const policies = await eventually("the new policy exists", async () => {
      const found = await policiesOf(example.emulator, "old.brand.example");
      return found.length > 0 ? found : undefined;
    });
    expect(policies.map(({ description }) => description)).toEqual(["New [zonewarden:new]"]);
    await stop(daemon);
  });

  it("keeps the last good version of a file that breaks, and logs where", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config: everyHour });
    const daemon = example.place.start("run");
    await inSync(daemon);
    await example.place.write("zones/shop.yaml", "zones: [");
    await eventually("file diagnostic", () =>
      logLines(daemon).find(({ msg }) => msg === "file diagnostic"),
    );
    expect(await textFrom(daemon, "metrics")).toMatch(
      /^zonewarden_files_last_reload_successful 0$/m,
    );
    expect(await inSync(daemon)).toBe(3);

    await control(example, "edit", { zone: "shop.example.com", settings: { enabled: false } });
    daemon.signal("SIGHUP");
    await eventually("the drift is corrected", () =>
      logLines(daemon).find(
        ({ msg, zone, trigger }) =>
          msg === "plan applied" && zone === "shop.example.com" && trigger === "signal",
      ),
    );
    expect(await stop(daemon)).toBe(0);
  });

  it("is alive and ready while the service is down, and logs why nothing happens", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator({ config: everyHour });
    await example.emulator[Symbol.asyncDispose]();
    const daemon = example.place.start("run");
    await eventually("zones cannot be listed", () =>
      logLines(daemon).find(({ msg }) => msg === "zones cannot be listed"),
    );
    // The files are read while the zones are listed.
    await eventually("the daemon is ready", async () =>
      (await ask(daemon, "/readyz")).status === 200 ? true : undefined,
    );
    // The first run of a zone ends after the files are read.
    const failed = /^zonewarden_zone_status\{zone="shop\.example\.com",status="error"\} 1$/m;
    await eventually("the zone has the status error", async () =>
      failed.test(await textFrom(daemon, "metrics")) ? true : undefined,
    );
    expect(await stop(daemon)).toBe(0);
  });
});

describe("the daemon's configuration", () => {
  it("is applied when its file changes, and kept when that breaks", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config: everyHour });
    const daemon = example.place.start("run");
    await inSync(daemon);
    const file = await example.place.read("zonewarden.yaml");

    await example.place.write("zonewarden.yaml", file.replace("mode: enforce", "mode: observe"));
    await eventually("configuration applied", () =>
      logLines(daemon).find(({ msg }) => msg === "configuration applied"),
    );
    await control(example, "edit", { zone: "shop.example.com", settings: { enabled: false } });
    daemon.signal("SIGHUP");
    await eventually("drift detected", () =>
      logLines(daemon).find(({ msg }) => msg === "drift detected"),
    );

    await example.place.write("zonewarden.yaml", "mode: [");
    await eventually("the broken configuration is reported", async () =>
      (await textFrom(daemon, "metrics")).includes("zonewarden_files_last_reload_successful 0")
        ? true
        : undefined,
    );
    expect(await textFrom(daemon, "/diagnostics")).toContain("zonewarden.yaml");

    await example.place.write("zonewarden.yaml", file.replace("127.0.0.1:0", "127.0.0.1:1"));
    const warning = await eventually("the restart is asked for", () =>
      logLines(daemon).find(
        ({ msg }) => typeof msg === "string" && msg.includes("needs a restart"),
      ),
    );
    expect(warning).toMatchObject({ keys: ["server"] });
    await eventually("plan applied", () =>
      logLines(daemon).findLast(({ msg }) => msg === "plan applied"),
    );
    expect(await stop(daemon)).toBe(0);
  });
});
