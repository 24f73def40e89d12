import { describe, it } from "vitest";

import { policiesOf } from "../support/ask.ts";
import type { Started } from "../support/command-line.ts";
import { type Example, exampleWithEmulator } from "../support/example.ts";
import { logLines } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";

const everyHour = 'schedule: { cron: "0 * * * *" }';

function addressOf(daemon: Started): Promise<string> {
  return eventually("the daemon listens", () => {
    const page = logLines(daemon).find(({ msg }) => msg === "zonewarden started")?.["page"];
    return typeof page === "string" ? page.replace(/\/$/, "") : undefined;
  });
}

async function scrape(address: string): Promise<string> {
  return (await fetch(`${address}/metrics`)).text();
}

function inSync(address: string): Promise<number> {
  return eventually("every zone is in sync", async () => {
    const series = /^zonewarden_zone_status\{[^}]*status="in_sync"[^}]*\} 1$/gm;
    const count = (await scrape(address)).match(series)?.length ?? 0;
    return count === 3 ? count : undefined;
  });
}

async function edit({ emulator }: Example, body: Record<string, unknown>): Promise<void> {
  const response = await fetch(`${emulator.url}/_emulator/edit`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
}

describe("the daemon", () => {
  it("brings every zone in sync, corrects drift on SIGHUP, and ends cleanly", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator({ config: everyHour });
    const daemon = example.place.start("run");
    const address = await addressOf(daemon);
    expect(await inSync(address)).toBe(3);
    expect((await fetch(`${address}/readyz`)).status).toBe(200);
    expect((await fetch(`${address}/livez`)).status).toBe(200);
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
    expect(await (await fetch(`${address}/`)).text()).toContain("shop.example.com");

    await edit(example, {
      zone: "shop.example.com",
      policy: "Scripts of the checkout",
      set: { action: "log" },
    });
    daemon.signal("SIGHUP");
    await eventually("the metrics count the drift", async () => {
      const text = await scrape(address);
      return /^zonewarden_drift_detected_total\{zone="shop\.example\.com",kind="policy"\} 1$/m.test(
        text,
      )
        ? true
        : undefined;
    });
    expect(await inSync(address)).toBe(3);

    daemon.signal("SIGTERM");
    const { code } = await daemon.ended;
    expect(code).toBe(0);
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
    const address = await addressOf(daemon);
    await inSync(address);
    await edit(example, { zone: "shop.example.com", settings: { enabled: false } });
    const ask = (token: string): Promise<Response> =>
      fetch(`${address}/api/v1/reconcile?zone=shop.example.com`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
      });
    expect((await ask("another-token")).status).toBe(401);
    expect((await ask("the-token")).status).toBe(202);
    const done = await eventually("the requested reconcile is applied", () =>
      logLines(daemon).find(({ msg, trigger }) => msg === "plan applied" && trigger === "manual"),
    );
    expect(done["zone"]).toBe("shop.example.com");
    const asked = logLines(daemon).filter(({ msg }) => msg === "reconcile requested");
    expect(asked.map(({ result }) => result)).toEqual(["wrong_token", "accepted"]);
    expect(daemon.stdout()).not.toContain("the-token");
    daemon.signal("SIGTERM");
    await daemon.ended;
  });

  it("applies a changed file by itself", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config: everyHour });
    const daemon = example.place.start("run");
    await inSync(await addressOf(daemon));
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
    daemon.signal("SIGTERM");
    await daemon.ended;
  });

  it("keeps the last good version of a file that breaks, and logs where", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config: everyHour });
    const daemon = example.place.start("run");
    const address = await addressOf(daemon);
    await inSync(address);
    await example.place.write("zones/shop.yaml", "zones: [");
    await eventually("file diagnostic", () =>
      logLines(daemon).find(({ msg }) => msg === "file diagnostic"),
    );
    expect(await scrape(address)).toMatch(/^zonewarden_files_last_reload_successful 0$/m);
    expect(await inSync(address)).toBe(3);

    await edit(example, { zone: "shop.example.com", settings: { enabled: false } });
    daemon.signal("SIGHUP");
    await eventually("the drift is corrected", () =>
      logLines(daemon).find(
        ({ msg, zone, trigger }) =>
          msg === "plan applied" && zone === "shop.example.com" && trigger === "signal",
      ),
    );
    daemon.signal("SIGTERM");
    expect((await daemon.ended).code).toBe(0);
  });

  it("is alive and ready while the service is down, and logs why nothing happens", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator({ config: everyHour });
    await example.emulator[Symbol.asyncDispose]();
    const daemon = example.place.start("run");
    const address = await addressOf(daemon);
    await eventually("zones cannot be listed", () =>
      logLines(daemon).find(({ msg }) => msg === "zones cannot be listed"),
    );
    // The files are read while the zones are listed.
    await eventually("the daemon is ready", async () =>
      (await fetch(`${address}/readyz`)).status === 200 ? true : undefined,
    );
    // The first run of a zone ends after the files are read.
    const failed = /^zonewarden_zone_status\{zone="shop\.example\.com",status="error"\} 1$/m;
    await eventually("the zone has the status error", async () =>
      failed.test(await scrape(address)) ? true : undefined,
    );
    daemon.signal("SIGTERM");
    expect((await daemon.ended).code).toBe(0);
  });
});

describe("the daemon's configuration", () => {
  it("is applied when its file changes, and kept when that breaks", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config: everyHour });
    const daemon = example.place.start("run");
    const address = await addressOf(daemon);
    await inSync(address);
    const file = await example.place.read("zonewarden.yaml");

    await example.place.write("zonewarden.yaml", file.replace("mode: enforce", "mode: observe"));
    await eventually("configuration applied", () =>
      logLines(daemon).find(({ msg }) => msg === "configuration applied"),
    );
    await edit(example, { zone: "shop.example.com", settings: { enabled: false } });
    daemon.signal("SIGHUP");
    await eventually("drift detected", () =>
      logLines(daemon).find(({ msg }) => msg === "drift detected"),
    );

    await example.place.write("zonewarden.yaml", "mode: [");
    await eventually("the broken configuration is reported", async () =>
      (await scrape(address)).includes("zonewarden_files_last_reload_successful 0")
        ? true
        : undefined,
    );
    expect(await (await fetch(`${address}/diagnostics`)).text()).toContain("zonewarden.yaml");

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
    daemon.signal("SIGTERM");
    expect((await daemon.ended).code).toBe(0);
  });
});
