import { describe, it } from "vitest";

import { runProgram } from "../../src/cli/program.ts";
import { systemClock } from "../../src/host/clock.ts";
import type { Clock } from "../../src/zone/ports.ts";
import { hostIn, type Ran, type Started } from "../support/command-line.ts";
import { type Example, writesSeenBy } from "../support/example.ts";
import { logged } from "../support/log-lines.ts";
import { installation, noPostgres, sharedPostgres } from "../support/postgres.ts";
import { eventually, freePort } from "../support/processes.ts";
import { stop } from "../support/running.ts";
import {
  deleteFromFile,
  imported,
  plannedShop,
  probes,
  unownedRule,
} from "../support/unmarked-example.ts";

const shop = "shop.example.com";
const token = "a-token-of-some-length";

/** Zones that nobody marked, and a daemon that uses the store and has a token. */
async function besideDaemon(
  database: string,
  hasToken = true,
): Promise<Example & { readonly daemon: Started; readonly page: string }> {
  const port = await freePort();
  const page = `http://127.0.0.1:${port}/`;
  const env = { ZONEWARDEN_API_TOKEN: "emulator-token", ZONEWARDEN_PAGE_URL: page };
  const store = database === "" ? "path: state" : "postgres: { url_file: url }";
  const found = await imported(`store: { ${store} }`, { env });
  const { place } = found;
  const key = hasToken ? ", reconcile_token_file: token" : "";
  const text = await place.read("zonewarden.yaml");
  const listen = text.replace('"127.0.0.1:0"', `"127.0.0.1:${port}"${key}`);
  await place.write("token", token);
  await place.write("url", database);
  await place.write("zonewarden.yaml", listen);
  const daemon = place.start("run");
  await logged(daemon, "zonewarden started");
  await eventually("it has run", async () => {
    const metrics = await (await fetch(`${page}metrics`)).text();
    return (
      /zonewarden_zone_last_success_timestamp_seconds\{[^}]*\} [1-9]/.test(metrics) || undefined
    );
  });
  return {
    ...found,
    daemon,
    page,
    [Symbol.asyncDispose]: async () => {
      await stop(daemon);
      await found[Symbol.asyncDispose]();
    },
  };
}

/** What takes a Lease of 15 seconds takes one and a half. */
const fastClock: Clock = {
  ...systemClock,
  monotonicMs: () => systemClock.monotonicMs() * 10,
  sleep: (ms, signal) => systemClock.sleep(ms / 10, signal),
  alarm: (ms, run) => systemClock.alarm(ms / 10, run),
};

/** Runs a command in another process of the machine. */
async function elsewhere(
  { place }: Pick<Example, "place">,
  ...args: readonly string[]
): Promise<Ran> {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const host = hostIn(place.directory, {
    env: { ZONEWARDEN_API_TOKEN: "emulator-token" },
    clock: fastClock,
    sinceBootMs: () => fastClock.monotonicMs(),
    process: { pid: process.pid + 1, hostName: "here", isRunning: () => true },
    stdout: { isTTY: false, write: (text) => stdout.push(text) },
    stderr: { isTTY: false, write: (text) => stderr.push(text) },
  });
  const code = await runProgram(args, host);
  return { code, stdout: stdout.join(""), stderr: stderr.join("") };
}

/** Where a daemon keeps its store. */
const stores = [
  { what: "a directory", skip: false, database: () => Promise.resolve("") },
  {
    what: `a database ${noPostgres ?? ""}`,
    skip: noPostgres !== undefined,
    database: async () => (await installation()).url,
  },
];

for (const { what, skip, database } of stores) {
  describe.skipIf(skip)(`a command beside a daemon with ${what}`, () => {
    it("stores through the daemon, and both say the same", async ({ expect }) => {
      await using scene = await besideDaemon(await database());
      const rule = await unownedRule(scene, probes);
      expect(rule.id).not.toBe("");
      const ran = await elsewhere(scene, "adopt", "--yes", shop);
      expect(ran.stderr).not.toContain("not adopted");
      expect(ran.code, ran.stdout + ran.stderr).toBe(0);
      expect(await plannedShop(scene)).toMatchObject({ changes: [], unowned: [] });
      const examined = await elsewhere(scene, "doctor");
      expect(examined.stdout).toMatch(/^ok +store /m);
      const asked = await logged(scene.daemon, "a command asked to store");
      expect(asked).toMatchObject({
        level: "info",
        audit: true,
        result: "stored",
        from: "127.0.0.1",
      });

      // The daemon holds the delete of what only the memory says is ours, and plan says so too.
      await deleteFromFile(scene, probes);
      const plan = await plannedShop(scene);
      expect(plan).toMatchObject({
        changes: [`delete managed_rule/${probes}`],
        holds: ["adopted_delete"],
      });
      const held = await eventually("the daemon holds it", async () => {
        const answer = await fetch(`${scene.page}api/v1/zones/${shop}`);
        const text = await answer.text();
        return text.includes("adopted_delete") ? text : undefined;
      });
      expect(held).toContain(plan.hash);
      expect(writesSeenBy(scene.emulator)).toHaveLength(3);
    });

    it("stores nothing without the token, and says what to set", async ({ expect }) => {
      await using scene = await besideDaemon(await database(), false);
      const ran = await elsewhere(scene, "adopt", "--yes", shop);
      expect(ran.code).toBe(5);
      expect(ran.stderr).toContain("2 rules not adopted");
      expect(ran.stderr).toContain("set server.reconcile_token_file");
    });

    it("makes nothing ours by a message about what is not live", async ({ expect }) => {
      await using scene = await besideDaemon(await database());
      const rule = await unownedRule(scene, probes);
      const forged = [
        { id: rule.id, ref: "another-ref", key: probes },
        { id: "f".repeat(32), ref: rule.ref, key: "owasp" },
      ];
      const send = (message: object): Promise<Response> =>
        fetch(`${scene.page}api/v1/store`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}` },
          body: JSON.stringify({ format: 1, adopted: {}, weakened: {}, used: [], ...message }),
        });
      expect((await send({ adopted: { [shop]: forged } })).status).toBe(200);
      expect((await send({ adopted: { "other.example": forged } })).status).toBe(404);
      expect((await send({ adopted: { [shop]: "all" } })).status).toBe(400);
      const { unowned } = await plannedShop(scene);
      expect(unowned).toContain(`managed_rule/${probes}`);
      await deleteFromFile(scene, probes);
      expect((await plannedShop(scene)).changes).toEqual([]);
    });
  });
}

describe.skipIf(noPostgres)(`a command after the crash of the leader ${noPostgres ?? ""}`, () => {
  it("waits for its Lease, says so, and stores", async ({ expect }) => {
    const { url, name } = await installation();
    await using scene = await imported("store: { postgres: { url_file: url } }");
    await scene.place.write("url", url);
    const server = await sharedPostgres();
    await server.query(
      `UPDATE zonewarden.lease SET holder = 'pod-1', released_by = '', page = 'http://127.0.0.1:${await freePort()}/', installation = 'zonewarden at ${scene.emulator.baseUrl}'`,
      name,
    );
    const ran = await elsewhere(scene, "adopt", "--yes", shop);
    expect(ran.stderr).toContain(
      "pod-1 holds the Lease schema zonewarden of the database and does not answer: waiting to see whether it still runs\n",
    );
    expect(ran.code, ran.stderr).toBe(0);
    expect(await plannedShop(scene)).toMatchObject({ changes: [], unowned: [] });
  });
});
