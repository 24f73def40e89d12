import { setTimeout as sleep } from "node:timers/promises";

import { describe, it } from "vitest";

import type { Emulator } from "../../src/emulator/start-emulator.ts";
import { systemClock } from "../../src/host/clock.ts";
import type { Host } from "../../src/host/host.ts";
import { control, endFaults } from "../support/ask.ts";
import { workplace, type Started, type Workplace } from "../support/command-line.ts";
import { loopbackEmulator } from "../support/loopback-emulator.ts";
import { eventually } from "../support/processes.ts";
import { stop } from "../support/running.ts";
import { plantedToken } from "../support/service.ts";

const rotatedToken = `${plantedToken}-rotated`;
const shop = "shop.example.com";

const zones = `zones:
  - name: ${shop}
    page_shield:
      settings: { enabled: true }
      policies:
        items: [{ key: a, description: A, action: log, expression: "true", value: "script-src 'self'" }]
`;

/** An emulator that knows two tokens, and a directory whose token file holds the first of them. */
async function shopWithTokens(
  ports: Partial<Host> = {},
): Promise<{ place: Workplace; emulator: Emulator }> {
  const emulator = await loopbackEmulator({
    rate_limit: false,
    tokens: [plantedToken, rotatedToken].map((value, index) => ({
      name: `t${index}`,
      value,
      permissions: "all",
    })),
    zones: [{ name: shop }],
  });
  const place = await workplace({ ZONEWARDEN_TRACE: "1" }, ports);
  await place.write("token", `${plantedToken}\n`);
  await place.write("zones/shop.yaml", zones);
  await place.write("zonewarden.yaml", configFor(emulator.baseUrl));
  return { place, emulator };
}

function configFor(baseUrl: string): string {
  return `mode: enforce
api: { base_url: "${baseUrl}" }
credentials: [{ name: main, token_file: token }]
schedule: { cron: "0 * * * *" }
server: { listen: "127.0.0.1:0" }
log: { level: trace, format: json }
`;
}

/** Waits until the daemon has printed something. */
function printed(daemon: Started, pattern: RegExp): Promise<string> {
  return eventually(`printed ${String(pattern)}`, () => pattern.exec(daemon.stdout())?.[1]);
}

/** Everything that the daemon serves. */
async function served(address: string): Promise<readonly string[]> {
  const paths = [
    "/",
    `/zones/${shop}`,
    "/diagnostics",
    "/nowhere",
    "/metrics",
    "/livez?verbose",
    "/readyz?verbose",
    "/api/v1/fleet",
    "/api/v1/zones",
    `/api/v1/zones/${shop}`,
    `/api/v1/zones/${shop}/history`,
    "/api/v1/diagnostics",
  ];
  return Promise.all(paths.map(async (path) => (await fetch(`${address}${path}`)).text()));
}

describe("the token", () => {
  it("is in nothing that any command prints or serves, whatever fails", async ({ expect }) => {
    const { place, emulator } = await shopWithTokens();
    await using _place = place;
    await using _emulator = emulator;
    const said: string[] = [];
    const record = async (...args: readonly string[]): Promise<void> => {
      const { stdout, stderr } = await place.run(...args);
      said.push(stdout, stderr);
    };
    const daemon = place.start("run");
    const address = await printed(daemon, /"page":"([^"]+)\/"/);
    await printed(daemon, /"msg":"(plan applied)"/);
    for (const fault of ["lost_request", "cut_body", "malformed_json", "revoked"]) {
      await control(emulator, "/faults", { fault, count: 2 });
      daemon.signal("SIGHUP");
      await sleep(100);
      said.push(...(await served(address)));
      await record("plan");
    }
    const readings = [
      ["plan", "--format", "json"],
      ["plan", "--format", "markdown", "--out", "plan.json", "--impact"],
      ["apply", "--plan", "plan.json"],
      ["apply", "--check"],
      ["apply", "--format", "json"],
      ["import"],
      ["inventory", "scripts"],
      ["rulesets", "list", shop],
      ["suggest", shop],
      ["history"],
    ];
    const holds = [
      undefined,
      { fault: "revoked" },
      { fault: "status", status: 401 },
      { fault: "status", status: 403, method: "PUT" },
    ];
    for (const hold of holds) {
      if (hold !== undefined) await control(emulator, "/faults", hold);
      await control(emulator, "/edit", { zone: shop, settings: { enabled: false } });
      for (const args of readings) await record(...args);
      said.push(...(await served(address)), await place.read("plan.json"));
      await endFaults(emulator);
    }
    await place.write("zones/broken.yaml", "zones: [");
    await record("validate");
    await place.write("zones/broken.yaml", `${plantedToken}\n`);
    await record("validate", "--format", "sarif");
    await printed(daemon, /("FILE_FOREIGN")/);
    said.push(...(await served(address)));
    daemon.signal("SIGTERM");
    const ended = await daemon.ended;
    said.push(ended.stdout, ended.stderr);

    const everything = said.join("\n");
    expect(everything.length).toBeGreaterThan(50_000);
    expect(everything).not.toContain(plantedToken);
    for (const proof of ["API_UNAUTHORIZED", "FILE_FOREIGN", "zonewarden_api_token_valid"]) {
      expect(everything).toContain(proof);
    }
  });

  it.for([{ trace: "1" }, { trace: "" }])(
    "is not in the output of an internal error: trace $trace",
    async ({ trace }, { expect }) => {
      const token = "kT9xQ2mN8vL4pR7wJ3hF6bD1sG5zC0yA_eU-iOqX";
      const now = (): never => {
        throw new Error(`GET /zones with authorization Bearer ${token}`);
      };
      const clock = { ...systemClock, now };
      await using place = await workplace({ ZONEWARDEN_TRACE: trace }, { clock });
      await place.write("zonewarden.yaml", "mode: observe\n");
      const { code, stderr } = await place.run("history");
      expect(stderr).toContain("GET /zones with authorization");
      expect(code).toBe(1);
      expect(stderr).not.toContain(token);
    },
  );

  it("that was rejected is read again without a restart", async ({ expect }) => {
    // The daemon reads the token file every half minute; here, ten times a second.
    const clock: typeof systemClock = {
      ...systemClock,
      sleep: (ms, signal) => systemClock.sleep(ms === 30_000 ? 100 : ms, signal),
    };
    const { place, emulator } = await shopWithTokens({ clock });
    await using _place = place;
    await using _emulator = emulator;
    await control(emulator, "/faults", {
      fault: "revoked",
      credential: "t0",
      path: "*/page_shield*",
    });
    const daemon = place.start("run");
    await printed(daemon, /("code":"API_UNAUTHORIZED")/);
    await place.write("token", rotatedToken);
    // The next sweep comes in an hour.
    await printed(daemon, /"msg":"(plan applied)"/);
    expect(await stop(daemon)).toBe(0);
  });

  it("is rotated under load without a failed request", async ({ expect }) => {
    const { place, emulator } = await shopWithTokens();
    await using _place = place;
    await using _emulator = emulator;
    const daemon = place.start("run");
    await printed(daemon, /"msg":"(plan applied)"/);
    await place.write("token", rotatedToken);
    await control(emulator, "/faults", { fault: "revoked", credential: "t0" });
    for (let round = 0; round < 5; round += 1) {
      await control(emulator, "/edit", { zone: shop, settings: { enabled: false } });
      daemon.signal("SIGHUP");
      await sleep(100);
    }
    daemon.signal("SIGTERM");
    const { stdout } = await daemon.ended;
    expect(stdout).not.toContain('"msg":"reconcile failed"');
    expect(stdout).not.toContain('"msg":"write failed"');
    expect(emulator.journal().at(-1)).toMatchObject({ credential: "t1", status: 200 });
    expect(stdout).not.toContain(rotatedToken);
  });
});
