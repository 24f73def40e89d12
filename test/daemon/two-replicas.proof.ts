import { describe, it } from "vitest";

import { openDatabase } from "../../src/memory/postgres/open-database.ts";
import { coerceObject, coerceText, type JsonObject } from "../../src/syntax/json.ts";
import type { Started } from "../support/command-line.ts";
import { control, type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { freeLease, type KubeApi, leasePath, startKubeApi } from "../support/kube-api.ts";
import { logged, logLines } from "../support/log-lines.ts";
import { wordsOf } from "../support/pages.ts";
import { installation, noPostgres, sharedPostgres } from "../support/postgres.ts";
import { eventually } from "../support/processes.ts";
import { ask, jsonFrom, stop, textFrom } from "../support/running.ts";
import { allRun } from "../support/settled-example.ts";
import { untilWaiting, weaken } from "../support/waves-of-example.ts";

const config = `schedule: { cron: "0 * * * *" }
cluster: { kubeconfig: kubeconfig }
store: { postgres: { url_file: database-url } }`;

const shop = "shop.example.com";

interface Scene extends AsyncDisposable {
  readonly example: Example;
  readonly kube: KubeApi;
  readonly database: string;
  start(): Started;
}

async function scene(more = ""): Promise<Scene> {
  const kube = await startKubeApi();
  kube.edit(leasePath, freeLease);
  const { url: database } = await installation();
  const example = await exampleWithEmulator({ config: `${config}\n${more}` });
  await example.place.write("kubeconfig", kube.kubeconfig);
  await example.place.write("database-url", database);
  const started: Started[] = [];
  return {
    example,
    kube,
    database,
    start: () => {
      const daemon = example.place.start("run");
      started.push(daemon);
      return daemon;
    },
    [Symbol.asyncDispose]: async () => {
      kube.fault = () => undefined;
      for (const daemon of started) daemon.signal("SIGTERM");
      await Promise.all(started.map(({ ended }) => ended));
      await kube[Symbol.asyncDispose]();
      await example[Symbol.asyncDispose]();
    },
  };
}

function said(daemon: Started, message: string): number {
  return logLines(daemon).filter(({ msg }) => msg === message).length;
}

function untilSaid(daemon: Started, message: string, times = 1): Promise<true> {
  return eventually(message, () => said(daemon, message) >= times || undefined);
}

function metricsOf(daemon: Started): Promise<string> {
  return textFrom(daemon, "metrics");
}

async function inSync(daemon: Started): Promise<true> {
  return eventually("every zone is in sync", async () => {
    const { source, by_status: counts } = await jsonFrom(daemon, "api/v1/zones");
    return (source === undefined && coerceObject(counts)["in_sync"] === 3) || undefined;
  });
}

/** Waits until the history in the database has so many zones whose last run applied something. */
async function untilStored({ database }: Scene, zones: number): Promise<true> {
  await using opened = openDatabase("zonewarden", () => Promise.resolve(database));
  return await eventually("the runs are stored", async () => {
    const { lines } = await opened.tables.lastEntries({ names: "applied/", values: "labels/" });
    const applied = lines.filter((line) => line.includes('"result":"applied"'));
    return applied.length === zones || undefined;
  });
}

function nameIn(url: string): string {
  return new URL(url.replace("@/", "@localhost/")).pathname.slice(1);
}

function holderIn(kube: KubeApi): string {
  const spec = coerceObject(kube.objects.get(leasePath)?.["spec"]);
  return coerceText(spec["holderIdentity"]);
}

function withHolder(holder: string): (object: JsonObject) => JsonObject {
  return (object) => ({
    ...object,
    spec: { ...coerceObject(object["spec"]), holderIdentity: holder },
  });
}

describe.skipIf(noPostgres).concurrent(`two processes with one Lease ${noPostgres ?? ""}`, () => {
  it("let no zone go before its wave when the leader changes", async ({ expect }) => {
    await using stage = await scene();
    const { place } = stage.example;
    const before = stage.start();
    await inSync(before);
    await stop(before);
    const waves = "{ waves: [{ zones: [shop.example.com] }, { share: 100% }] }";
    const text = await place.read("zonewarden.yaml");
    await place.write("zonewarden.yaml", `${text}rollout: ${waves}\n`);
    const first = stage.start();
    await allRun(first);
    const second = stage.start();
    await untilSaid(second, "another process leads");
    const written = writesSeenBy(stage.example.emulator).length;
    await weaken(stage.example);
    await untilWaiting(first, "blog.example.com");
    await stop(first);
    await allRun(second);
    await untilWaiting(second, "blog.example.com");
    await untilWaiting(second, "www.brand.example");
    expect(writesSeenBy(stage.example.emulator)).toHaveLength(written + 1);
  });
});

describe.skipIf(noPostgres).concurrent(`two processes with one Lease ${noPostgres ?? ""}`, () => {
  it("work one at a time, and the second goes on when the first ends", async ({ expect }) => {
    await using stage = await scene();
    const first = stage.start();
    await inSync(first);
    await untilStored(stage, 2);
    const second = stage.start();
    await untilSaid(second, "another process leads");
    expect((await ask(second, "readyz")).status).toBe(200);
    const waiting = await metricsOf(second);
    expect(waiting).toContain('zonewarden_leader{lease="zonewarden"} 0');
    expect(waiting).not.toMatch(
      /^zonewarden_(zone_|config_(hash|last)|schedule_(next|interval)|oldest|api_token)/m,
    );
    const holder = holderIn(stage.kube);
    const page = await textFrom(second, "");
    expect(page).toContain("holds the Lease zonewarden");
    expect(page).toContain(holder);
    expect(await jsonFrom(second, "api/v1/fleet")).toMatchObject({
      cluster: { lease: "zonewarden", leader: false, holder, reconciles: false },
    });
    expect(await metricsOf(first)).toContain('zonewarden_leader{lease="zonewarden"} 1');
    // What the leader stored is shown as such, and the metrics stay the leader's.
    const shown = wordsOf(page);
    expect(shown).toMatch(/As the store says, \d\d:\d\d:\d\d UTC ;/);
    expect(shown).toMatch(/shop\.example\.com in sync .* applied just now startup, \d+ changes/);
    const list = await jsonFrom(second, "api/v1/zones");
    // The third zone was in sync from the start, so nothing happened to it.
    expect(list).toMatchObject({
      source: "store",
      matching: 3,
      by_status: { in_sync: 2, unknown: 1 },
      zones: [{ name: "blog.example.com", status: "unknown", last_entry: null }, {}, {}],
    });
    expect(await metricsOf(second)).not.toContain("zonewarden_zone_status{");
    expect((await jsonFrom(first, "api/v1/zones"))["source"]).toBe(undefined);

    const written = writesSeenBy(stage.example.emulator).length;
    expect(await stop(first)).toBe(0);
    await inSync(second);
    expect(await metricsOf(second)).toContain('zonewarden_leader{lease="zonewarden"} 1');
    expect(await textFrom(second, "")).not.toContain("As the store says");
    expect(await metricsOf(second)).toContain('zonewarden_lease_transitions{lease="zonewarden"} 2');
    expect(writesSeenBy(stage.example.emulator)).toHaveLength(written);
    expect(said(second, "state loaded")).toBe(1);
  });

  it("hold the same revision, whoever leads", async ({ expect }) => {
    await using stage = await scene();
    const { place, emulator } = stage.example;
    const first = stage.start();
    await inSync(first);
    // From now on, two of the example's three zones are too many for one step.
    const limits = `${await place.read("zonewarden.yaml")}limits: { min_fleet: 2 }\n`;
    await place.write("zonewarden.yaml", limits);
    await untilSaid(first, "configuration applied");
    await place.edit("zones/baseline.yaml", "score_threshold: medium", "score_threshold: low");
    await untilSaid(first, "revision held");
    const written = writesSeenBy(emulator).length;
    let leader = first;
    for (let change = 0; change < 2; change += 1) {
      const next = stage.start();
      await untilSaid(next, "another process leads");
      await stop(leader);
      await untilSaid(next, "revision held");
      await allRun(next);
      leader = next;
    }
    expect(writesSeenBy(emulator)).toHaveLength(written);
  });

  it("serve on without zones when the Lease is taken, and work again when it is free", async ({
    expect,
  }) => {
    await using stage = await scene();
    const daemon = stage.start();
    await inSync(daemon);
    stage.kube.edit(leasePath, withHolder("a-thief"));
    await untilSaid(daemon, "leadership lost");
    const lost = await metricsOf(daemon);
    expect(lost).toContain('zonewarden_leader{lease="zonewarden"} 0');
    expect(lost).not.toContain("zonewarden_zone_status{");
    expect((await ask(daemon, "livez")).status).toBe(200);
    stage.kube.edit(leasePath, freeLease);
    await untilSaid(daemon, "leadership acquired", 2);
    await inSync(daemon);
  });
});

describe.skipIf(noPostgres).concurrent(`a process that ${noPostgres ?? ""}`, () => {
  it("cannot read the state reconciles nothing, says so once, and begins when it can", async ({
    expect,
  }) => {
    await using stage = await scene();
    const { place, emulator } = stage.example;
    await place.write(
      "database-url",
      stage.database.replace("postgres://postgres@", "postgres://nobody@"),
    );
    const daemon = stage.start();
    const complaint = "the store cannot be opened: nothing is reconciled before it is";
    await untilSaid(daemon, complaint);
    expect(logLines(daemon).find(({ msg }) => msg === complaint)?.["error"]).toContain(
      'role "nobody" does not exist: correct the user in the URL',
    );
    const page = await textFrom(daemon, "");
    expect(page).toContain("Nobody holds the Lease");
    expect(wordsOf(page)).toContain(
      "The store cannot be read: the database cannot be used: role &quot;nobody&quot; does not exist: correct the user in the URL",
    );
    expect((await ask(daemon, "api/v1/zones")).status).toBe(503);
    // The file is read again at the next attempt.
    await place.write("database-url", stage.database);
    await untilSaid(daemon, "state is empty: this is the first start with it");
    expect(said(daemon, complaint)).toBe(1);
    await inSync(daemon);
    expect(emulator.journal()).not.toEqual([]);
  });

  it("is stopped while its database is away stores what it wrote once that is back", async ({
    expect,
  }) => {
    await using stage = await scene();
    const { place } = stage.example;
    const daemon = stage.start();
    await inSync(daemon);
    await place.write("database-url", stage.database.replace("postgres@", "nobody@"));
    const server = await sharedPostgres();
    await server.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${nameIn(stage.database)}'`,
    );
    const set = { paranoia_level: 1 };
    await control(stage.example, "edit", { zone: shop, rule: "zonewarden:owasp", set });
    daemon.signal("SIGHUP");
    const { run } = await logged(daemon, "plan applied", { zone: shop, cause: "drift" });
    daemon.signal("SIGTERM");
    await untilSaid(daemon, "stopping");
    const renewed = stage.kube.seen.length;
    await eventually("it goes on", () => stage.kube.seen.length > renewed + 1 || undefined);
    await place.write("database-url", stage.database);
    expect((await daemon.ended).code).toBe(0);
    expect(said(daemon, "history is written again")).toBe(1);
    await using opened = openDatabase("zonewarden", () => Promise.resolve(stage.database));
    const { lines } = await opened.tables.lastEntries({ names: "applied/", values: "labels/" });
    expect(lines.filter((line) => line.includes(coerceText(run)))).toHaveLength(1);
  });

  it.for([
    {
      what: "has no permission for the Lease",
      fault: { status: 403, message: "leases is forbidden" },
    },
    { what: "gets answers of a wrong shape", fault: { body: '{"kind":"Lease","spec":7}' } },
    { what: "gets answers of a proxy", fault: { body: "<html>sign in</html>" } },
  ])("$what waits, says so once, and begins when it can", async ({ fault }, { expect }) => {
    await using stage = await scene();
    stage.kube.fault = () => fault;
    const daemon = stage.start();
    await untilSaid(daemon, "the Lease cannot be used");
    await eventually("it tries again", () => stage.kube.seen.length >= 2 || undefined);
    expect(said(daemon, "the Lease cannot be used")).toBe(1);
    expect((await ask(daemon, "readyz")).status).toBe(503);
    expect(await metricsOf(daemon)).toContain('zonewarden_lease_failing{lease="zonewarden"} 1');
    expect(stage.example.emulator.journal()).toEqual([]);
    stage.kube.fault = () => undefined;
    await inSync(daemon);
    expect(said(daemon, "the Lease can be used again")).toBe(1);
  });

  it("finds the Lease of another installation waits, and names it", async ({ expect }) => {
    await using stage = await scene();
    await using other = await scene("desired: { owner: another }");
    await other.example.place.write("kubeconfig", stage.kube.kubeconfig);
    const first = stage.start();
    await inSync(first);
    const second = other.start();
    const message =
      "another installation uses this Lease: give each its own name (cluster.lease), or without a cluster its own schema (store.postgres.schema)";
    await untilSaid(second, message);
    expect(logLines(second).find(({ msg }) => msg === message)?.["installation"]).toContain(
      `zonewarden at ${stage.example.emulator.baseUrl}, store `,
    );
    expect(other.example.emulator.journal()).toEqual([]);
    await stop(second);
  });

  it("is told to work in a cluster, and finds none, ends with what to do", async ({ expect }) => {
    await using example = await exampleWithEmulator({
      config: "cluster: {}\nstore: { postgres: { url_env: DATABASE_URL } }",
    });
    const { code, stderr } = await example.place.run("run");
    expect(code).toBe(1);
    expect(stderr).toContain("does not run in a Kubernetes cluster");
  });
});
