import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { afterAll, beforeAll, describe, it } from "vitest";

import { findAccess } from "../../src/cluster/kube-access.ts";
import {
  createKubeClient,
  type KubeAnswer,
  type KubeClient,
} from "../../src/cluster/kube-client.ts";
import { seededRandom } from "../../src/emulator/control/faults.ts";
import type { JournalEntry } from "../../src/emulator/emulated-service.ts";
import { readHistory } from "../../src/history/file/history-lines.ts";
import { systemClock } from "../../src/host/clock.ts";
import { openDatabase } from "../../src/memory/postgres/open-database.ts";
import { coerceObject, coerceText } from "../../src/syntax/json.ts";
import { noKubectl } from "../deploy/tools.ts";
import { type ApiServer, noApiServer, startApiServer } from "../support/api-server.ts";
import { control, type Example, exampleWithEmulator } from "../support/example.ts";
import { noPostgres, PostgresServer } from "../support/postgres.ts";
import { type Daemon, eventually, startDaemon } from "../support/processes.ts";

const why = noKubectl ?? noPostgres ?? noApiServer();

/** How often each fault is tried. `CLUSTER_REPETITIONS=50` takes about half an hour. */
const repetitions = Number(process.env["CLUSTER_REPETITIONS"] ?? "3");

const zones = ["a.example.com", "b.example.com", "c.example.com"];

interface Replica {
  readonly daemon: Daemon;
  /** Name of the credential that it writes with: the emulator's journal tells the replicas apart by it. */
  readonly credential: string;
}

const leasePath = "/apis/coordination.k8s.io/v1/namespaces/zonewarden/leases/zonewarden";

/** Where the Lease is: in the cluster, or in a row of the database. */
type LeasePlace = "cluster" | "row";

/** The configuration of the replicas: one Lease and one database. */
function sharedConfig(lease: LeasePlace): string {
  return `schedule: { cron: "* * * * * *" }
store: { postgres: { url_file: database-url } }
${lease === "cluster" ? "cluster: { kubeconfig: kubeconfig }" : ""}
`;
}

let server: ApiServer;

beforeAll(async () => {
  if (why === undefined) server = await startApiServer();
}, 120_000);

afterAll(async () => {
  if (why === undefined) await server[Symbol.asyncDispose]();
});

function readText(file: string): Promise<string> {
  return readFile(file, "utf8");
}

/** The API server and a database server for one test. */
class Surroundings implements AsyncDisposable {
  readonly postgres: PostgresServer;
  readonly url: string;
  readonly #database: string;
  readonly #kube: KubeClient;

  private constructor(
    postgres: PostgresServer,
    database: Awaited<ReturnType<PostgresServer["createDatabase"]>>,
    kube: KubeClient,
  ) {
    this.postgres = postgres;
    this.url = database.url;
    this.#database = database.name;
    this.#kube = kube;
  }

  static async prepare(): Promise<Surroundings> {
    // Everything of an earlier test goes with its Lease.
    server.kubectl("delete", "lease", "--all", "-n", "zonewarden", "--ignore-not-found");
    const space = "apiVersion: v1\nkind: Namespace\nmetadata: { name: zonewarden }\n";
    const directory = await mkdtemp(path.join(tmpdir(), "zonewarden-namespace-"));
    await writeFile(path.join(directory, "namespace.yaml"), space);
    server.kubectl("apply", "--server-side", "-f", path.join(directory, "namespace.yaml"));
    await rm(directory, { recursive: true });
    const postgres = await PostgresServer.start();
    const created = await postgres.createDatabase();
    await using database = openDatabase("zonewarden", () => Promise.resolve(created.url));
    await database.tables.migrate();
    const access = await findAccess(server.kubeconfig, { env: {}, readText });
    return new Surroundings(postgres, created, createKubeClient(access, systemClock));
  }

  /** Writes into a place how its processes reach both. */
  async write(place: Example["place"]): Promise<void> {
    const config = await readFile(server.kubeconfig, "utf8");
    const inNamespace = config.replace("user: user }", "user: user, namespace: zonewarden }");
    await place.write("kubeconfig", inNamespace);
    await place.write("database-url", this.url);
  }

  /** The holder of the Lease; "": nobody, or the server does not answer. */
  async holder(place: LeasePlace): Promise<string> {
    if (place === "row") {
      const text = "SELECT holder FROM zonewarden.lease";
      const [row] = await this.postgres.query(text, this.#database).catch(() => []);
      return typeof row?.["holder"] === "string" ? row["holder"] : "";
    }
    const { body } = await this.#lease().catch(() => ({ body: {} }));
    return coerceText(coerceObject(coerceObject(body)["spec"])["holderIdentity"]);
  }

  #lease(): Promise<KubeAnswer> {
    return this.#kube.request({ method: "GET", path: leasePath }, 2_000);
  }

  /** Somebody names another holder, and nothing else. */
  async setHolder(holderIdentity: string): Promise<void> {
    await eventually("the Lease is edited", async () => {
      const { body } = await this.#lease();
      const lease = coerceObject(body);
      const spec = { ...coerceObject(lease["spec"]), holderIdentity };
      const call = { method: "PUT", path: leasePath, body: { ...lease, spec } } as const;
      return (await this.#kube.request(call, 2_000)).status === 200 || undefined;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#kube[Symbol.asyncDispose]();
    await this.postgres[Symbol.asyncDispose]();
  }
}

/** Replicas, and somebody who edits a zone several times a second, so that whoever may write always does. */
class Fleet implements AsyncDisposable {
  readonly around: Surroundings;
  readonly example: Example;
  readonly #lease: LeasePlace;
  #replicas: readonly Replica[] = [];
  #started = 0;
  readonly #stop = new AbortController();

  private constructor(around: Surroundings, example: Example, lease: LeasePlace) {
    this.around = around;
    this.example = example;
    this.#lease = lease;
    void this.#drift();
  }

  static async start(replicas = 3, lease: LeasePlace = "cluster"): Promise<Fleet> {
    const around = await Surroundings.prepare();
    const tokens = Array.from({ length: 200 }, (_, nth) => ({
      name: `replica-${nth}`,
      value: `token-${nth}`,
      permissions: "all" as const,
    }));
    const example = await exampleWithEmulator({
      seed: { tokens, rate_limit: false, zones: zones.map((name) => ({ name })) },
      config: `${sharedConfig(lease)}desired: { path: fleet }
budget: { requests: 100000 }
limits: { contended_rounds: 1000, contended_window: 1s }`,
      sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    });
    const declared = zones.map((name) => ({ name, page_shield: { settings: { enabled: true } } }));
    await example.place.write("fleet/zones.yaml", JSON.stringify({ zones: declared }));
    await around.write(example.place);
    await control(example, "faults", { fault: "latency", milliseconds: 30, method: "PUT" });
    const fleet = new Fleet(around, example, lease);
    for (let nth = 0; nth < replicas; nth += 1) await fleet.add();
    await fleet.settled();
    return fleet;
  }

  async add(): Promise<void> {
    const nth = this.#started;
    this.#started += 1;
    const env = { ZONEWARDEN_API_TOKEN: `token-${nth}` };
    const daemon = await startDaemon(this.example.place.directory, env);
    this.#replicas = [...this.#replicas, { daemon, credential: `replica-${nth}` }];
  }

  drop(replica: Replica): void {
    this.#replicas = this.#replicas.filter((each) => each !== replica);
  }

  /** The replica that the Lease names; `undefined` if it is given back. */
  async leader(): Promise<Replica | undefined> {
    const holder = await this.around.holder(this.#lease);
    return this.#replicas.find(
      ({ daemon }) => holder !== "" && daemon.output().includes(`"identity":"${holder}"`),
    );
  }

  get writes(): readonly JournalEntry[] {
    return this.example.emulator.journal().filter(({ method }) => method !== "GET");
  }

  /** Resolves when a replica writes that `than` is not, with the seconds that it took. */
  async settled(than?: Replica): Promise<number> {
    const from = performance.now();
    await eventually("another replica writes", async () => {
      const leader = await this.leader();
      if (leader === undefined || leader === than) return undefined;
      return this.writes.at(-1)?.credential === leader.credential || undefined;
    });
    return (performance.now() - from) / 1_000;
  }

  /** Ends all replicas, and gives what `history verify` says of the chain that they wrote in turn. */
  async verified(): Promise<number> {
    await Promise.all(this.#replicas.map(({ daemon }) => daemon.end("SIGTERM")));
    this.#replicas = [];
    return (await this.example.place.run("history", "verify")).code;
  }

  /** Ends all replicas, and gives how many runs they logged as applied, and which of them the history does not have. */
  async recorded(): Promise<{ readonly applied: number; readonly missing: readonly string[] }> {
    const ended = this.#replicas;
    await Promise.all(ended.map(({ daemon }) => daemon.end("SIGTERM")));
    this.#replicas = [];
    await using database = openDatabase("zonewarden", () => Promise.resolve(this.around.url));
    const { entries } = await readHistory(database.tables.historyLines());
    const known = new Set(
      entries.filter(({ result }) => result === "applied").map(({ run }) => run),
    );
    const applied = ended
      .flatMap(({ daemon }) => daemon.output().split("\n"))
      .filter((line) => line.includes('"msg":"plan applied"'))
      .map((line) => /"run":"([^"]+)"/.exec(line)?.[1] ?? line);
    return { applied: applied.length, missing: applied.filter((run) => !known.has(run)) };
  }

  async #drift(): Promise<void> {
    for (let nth = 0; !this.#stop.signal.aborted; nth += 1) {
      const zone = zones[nth % zones.length];
      await control(this.example, "edit", { zone, settings: { enabled: false } });
      await sleep(100);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await sleep(200);
    await Promise.all(this.#replicas.map(({ daemon }) => daemon[Symbol.asyncDispose]()));
    await this.around[Symbol.asyncDispose]();
    await this.example[Symbol.asyncDispose]();
  }
}

/** The replica that leads now. */
async function leaderOf(fleet: Fleet): Promise<Replica> {
  const leader = await fleet.leader();
  if (leader === undefined) throw new Error("nobody leads");
  return leader;
}

/** Each change of the writer in the journal: one credential at a time, and none that comes back. */
function writersIn(writes: readonly JournalEntry[]): readonly string[] {
  const writers: string[] = [];
  for (const { credential } of writes) {
    if (writers.at(-1) !== credential) writers.push(credential);
  }
  return writers;
}

/** Resolves when a daemon has logged something so many times. */
function said(daemon: Daemon, text: string, times = 1): Promise<true> {
  return eventually(text, () => daemon.output().split(text).length > times || undefined);
}

const random = seededRandom(20_261_122);

function report(what: string, seconds: readonly number[]): void {
  const shown = seconds.map((each) => each.toFixed(1)).join(", ");
  process.stdout.write(`${what}: ${shown} s\n`);
}

describe.skipIf(why)(`three replicas, ${repetitions} times each ${why ?? ""}`, () => {
  it(
    "go on within seconds when the leader gets SIGTERM",
    { timeout: 3_600_000 },
    async (context) => {
      const { expect } = context;
      await using fleet = await Fleet.start();
      const took: number[] = [];
      for (let nth = 0; nth < repetitions; nth += 1) {
        await sleep(random() * 2_000);
        const leader = await leaderOf(fleet);
        leader.daemon.signal("SIGTERM");
        took.push(await fleet.settled(leader));
        // A signal without effect: the process ends by itself.
        expect(await leader.daemon.end("SIGCONT")).toBe(0);
        fleet.drop(leader);
        await fleet.add();
      }
      report("SIGTERM until another replica writes", took);
      expect(Math.max(...took)).toBeLessThan(10);
      expect(new Set(writersIn(fleet.writes)).size).toBe(writersIn(fleet.writes).length);
      expect(await fleet.verified()).toBe(0);
    },
  );

  it(
    "go on after the Lease is over when the leader is killed",
    { timeout: 3_600_000 },
    async ({ expect }) => {
      await using fleet = await Fleet.start();
      const took: number[] = [];
      for (let nth = 0; nth < repetitions; nth += 1) {
        await sleep(random() * 2_000);
        const leader = await leaderOf(fleet);
        leader.daemon.signal("SIGKILL");
        took.push(await fleet.settled(leader));
        fleet.drop(leader);
        await fleet.add();
      }
      report("SIGKILL until another replica writes", took);
      expect(Math.min(...took)).toBeGreaterThan(10);
      expect(Math.max(...took)).toBeLessThan(30);
      expect(new Set(writersIn(fleet.writes)).size).toBe(writersIn(fleet.writes).length);
      expect(await fleet.verified()).toBe(0);
    },
  );

  it(
    "see no write of a leader that was paused, when it goes on",
    { timeout: 3_600_000 },
    async ({ expect }) => {
      await using fleet = await Fleet.start();
      const took: number[] = [];
      for (let nth = 0; nth < repetitions; nth += 1) {
        await sleep(random() * 2_000);
        const stale = await leaderOf(fleet);
        stale.daemon.signal("SIGSTOP");
        took.push(await fleet.settled(stale));
        await sleep(random() * 3_000);
        const before = fleet.writes.length;
        stale.daemon.signal("SIGCONT");
        await sleep(4_000);
        const after = fleet.writes.slice(before);
        expect(after.length).toBeGreaterThan(0);
        expect(after.filter(({ credential }) => credential === stale.credential)).toEqual([]);
        expect(stale.daemon.output()).toContain("leadership lost");
        // It may lead again later, and would then be another writer than before.
        await stale.daemon.end("SIGKILL");
        fleet.drop(stale);
        await fleet.add();
      }
      report("SIGSTOP until another replica writes", took);
      expect(new Set(writersIn(fleet.writes)).size).toBe(writersIn(fleet.writes).length);
      expect(await fleet.verified()).toBe(0);
    },
  );

  it(
    "hold a revision that the leader holds when it ends, by TERM and KILL",
    { timeout: 3_600_000 },
    async ({ expect }) => {
      await using around = await Surroundings.prepare();
      await using example = await exampleWithEmulator({ config: sharedConfig("cluster") });
      const { place, emulator } = example;
      const writes = (): number =>
        emulator.journal().filter(({ method }) => method !== "GET").length;
      await around.write(place);
      let leader = await startDaemon(place.directory);
      await said(leader, "plan applied", 2);
      // From now on, two of the example's three zones are too many for one step.
      const limits = `${await place.read("zonewarden.yaml")}limits: { min_fleet: 2 }\n`;
      await place.write("zonewarden.yaml", limits);
      await said(leader, "configuration applied");
      await place.edit("zones/baseline.yaml", "score_threshold: medium", "score_threshold: low");
      await said(leader, "revision held");
      const written = writes();
      for (let nth = 0; nth < 2 * repetitions; nth += 1) {
        const next = await startDaemon(place.directory);
        await said(next, "another process leads");
        await sleep(random() * 1_000);
        await leader.end(nth % 2 === 0 ? "SIGTERM" : "SIGKILL");
        await said(next, "revision held");
        expect(next.output()).not.toContain("plan applied");
        leader = next;
      }
      await leader.end("SIGTERM");
      expect(writes()).toBe(written);
    },
  );

  it(
    "see no write of a leader that the API server does not answer, after its deadline",
    {
      timeout: 3_600_000,
    },
    async ({ expect }) => {
      await using fleet = await Fleet.start();
      const leader = await leaderOf(fleet);
      server.signal("SIGSTOP");
      const cut = performance.now();
      try {
        await said(leader.daemon, "leadership lost");
        expect((performance.now() - cut) / 1_000).toBeLessThan(12);
        await sleep(500);
        const before = fleet.writes.length;
        await sleep(15_000);
        expect(fleet.writes.slice(before)).toEqual([]);
      } finally {
        server.signal("SIGCONT");
      }
      const back = performance.now();
      const silent = fleet.writes.length;
      await eventually("a replica writes", () => fleet.writes.length > silent || undefined);
      report("API server back until a replica writes", [(performance.now() - back) / 1_000]);
      expect(await fleet.verified()).toBe(0);
    },
  );

  it(
    "are never two that write when somebody clears or replaces the holder, or removes the Lease",
    { timeout: 3_600_000 },
    async ({ expect }) => {
      await using fleet = await Fleet.start();
      const took: number[] = [];
      for (let nth = 0; nth < 3 * repetitions; nth += 1) {
        await sleep(random() * 2_000);
        const before = fleet.writes.length;
        const leader = await leaderOf(fleet);
        const times = leader.daemon.output().split("leadership lost").length;
        if (nth % 3 === 0) await fleet.around.setHolder("");
        else if (nth % 3 === 1) await fleet.around.setHolder("somebody_else");
        else server.kubectl("-n", "zonewarden", "delete", "lease", "zonewarden");
        await said(leader.daemon, "leadership lost", times);
        const from = performance.now();
        // What the leader had sent is carried out.
        await sleep(1_000);
        const silent = fleet.writes.length;
        await eventually("a replica writes", () => fleet.writes.length > silent || undefined);
        took.push((performance.now() - from) / 1_000);
        // Whoever wrote before wrote nothing after the next one had begun.
        expect(writersIn(fleet.writes.slice(before)).length).toBeLessThanOrEqual(2);
      }
      report("Lease edited until a replica writes", took);
      expect(Math.max(...took)).toBeLessThan(40);
      expect(await fleet.verified()).toBe(0);
    },
  );

  it(
    "go on when the database is killed, and lose nothing that was said",
    { timeout: 3_600_000 },
    async ({ expect }) => {
      await using fleet = await Fleet.start();
      for (let nth = 0; nth < repetitions; nth += 1) {
        await sleep(random() * 2_000);
        await fleet.around.postgres.kill();
        const written = fleet.writes.length;
        await sleep(3_000);
        await fleet.around.postgres.launch();
        await eventually("writes go on", () => fleet.writes.length > written + 3 || undefined);
      }
      const writers = writersIn(fleet.writes);
      expect(new Set(writers).size).toBe(writers.length);
      const { applied, missing } = await fleet.recorded();
      expect(applied).toBeGreaterThan(repetitions);
      expect(missing).toEqual([]);
      expect(await fleet.verified()).toBe(0);
    },
  );

  it.for([
    { where: "in the cluster", lease: "cluster", replicas: 3 },
    { where: "in a row of it, which one replica loses and takes again", lease: "row", replicas: 1 },
  ] as const)(
    "go on when the database is stopped for 60 s, and lose nothing that was said: the Lease is $where",
    { timeout: 3_600_000 },
    async ({ lease, replicas }, { expect }) => {
      await using fleet = await Fleet.start(replicas, lease);
      const leader = await leaderOf(fleet);
      const before = fleet.writes.length;
      await fleet.around.postgres.kill("SIGINT");
      await sleep(60_000);
      const during = fleet.writes.length;
      await fleet.around.postgres.launch();
      const back = performance.now();
      await eventually("writes go on", () => fleet.writes.length > during + 3 || undefined);
      report("database back until a replica writes", [(performance.now() - back) / 1_000]);
      if (lease === "cluster") await said(leader.daemon, "history is written again");
      else await said(leader.daemon, "leadership acquired", 2);
      const losses = leader.daemon.output().split("leadership lost").length - 1;
      expect(losses).toBe(lease === "row" ? 1 : 0);
      expect(during - before).toBeGreaterThan(0);
      expect(writersIn(fleet.writes)).toEqual([leader.credential]);
      const { applied, missing } = await fleet.recorded();
      expect(applied).toBeGreaterThan(5);
      expect(missing).toEqual([]);
      expect(await fleet.verified()).toBe(0);
    },
  );
});
