import { setTimeout as sleep } from "node:timers/promises";

import { describe, it } from "vitest";

import { seededRandom } from "../../src/emulator/control/faults.ts";
import type { JournalEntry } from "../../src/emulator/emulated-service.ts";
import { coerceObject, coerceText } from "../../src/syntax/json.ts";
import { control, type Example, exampleWithEmulator } from "../support/example.ts";
import { type KubeApi, leasePath, startKubeApi } from "../support/kube-api.ts";
import { type Daemon, eventually, startDaemon } from "../support/processes.ts";

/** How often each fault is tried. `CLUSTER_REPETITIONS=50` takes about half an hour. */
const repetitions = Number(process.env["CLUSTER_REPETITIONS"] ?? "3");

const zones = ["a.example.com", "b.example.com", "c.example.com"];

interface Replica {
  readonly daemon: Daemon;
  /** Name of the credential that it writes with: the emulator's journal tells the replicas apart by it. */
  readonly credential: string;
}

/** Three replicas, and somebody who edits a zone several times a second, so that whoever may write always does. */
class Fleet implements AsyncDisposable {
  readonly kube: KubeApi;
  readonly example: Example;
  #replicas: readonly Replica[] = [];
  #started = 0;
  readonly #stop = new AbortController();

  private constructor(kube: KubeApi, example: Example) {
    this.kube = kube;
    this.example = example;
    void this.#drift();
  }

  static async start(): Promise<Fleet> {
    const kube = await startKubeApi();
    const tokens = Array.from({ length: 200 }, (_, nth) => ({
      name: `replica-${nth}`,
      value: `token-${nth}`,
      permissions: "all" as const,
    }));
    const example = await exampleWithEmulator({
      seed: { tokens, rate_limit: false, zones: zones.map((name) => ({ name })) },
      config: `schedule: { cron: "* * * * * *" }
desired: { path: fleet }
budget: { requests: 100000 }
limits: { contended_rounds: 1000, contended_window: 1s }
cluster: { kubeconfig: kubeconfig }`,
      sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    });
    const declared = zones.map((name) => ({ name, page_shield: { settings: { enabled: true } } }));
    await example.place.write("fleet/zones.yaml", JSON.stringify({ zones: declared }));
    await example.place.write("kubeconfig", kube.kubeconfig);
    await control(example, "faults", { fault: "latency", milliseconds: 30, method: "PUT" });
    const fleet = new Fleet(kube, example);
    for (let nth = 0; nth < 3; nth += 1) await fleet.add();
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

  get holder(): string {
    const spec = coerceObject(this.kube.objects.get(leasePath)?.["spec"]);
    return coerceText(spec["holderIdentity"]);
  }

  /** The replica that the Lease names; `undefined` where it is given back. */
  get leader(): Replica | undefined {
    return this.#replicas.find(
      ({ daemon }) => this.holder !== "" && daemon.output().includes(`"identity":"${this.holder}"`),
    );
  }

  get writes(): readonly JournalEntry[] {
    return this.example.emulator.journal().filter(({ method }) => method !== "GET");
  }

  /** Resolves when a replica writes that `than` is not, with the seconds that it took. */
  async settled(than?: Replica): Promise<number> {
    const from = performance.now();
    await eventually("another replica writes", () => {
      const { leader } = this;
      if (leader === undefined || leader === than) return undefined;
      return this.writes.at(-1)?.credential === leader.credential || undefined;
    });
    return (performance.now() - from) / 1_000;
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
    await this.kube[Symbol.asyncDispose]();
    await this.example[Symbol.asyncDispose]();
  }
}

/** The replica that leads now. */
function leaderOf(fleet: Fleet): Replica {
  const { leader } = fleet;
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

describe(`three replicas, ${repetitions} times each`, () => {
  it(
    "go on within seconds when the leader gets SIGTERM",
    { timeout: 3_600_000 },
    async (context) => {
      const { expect } = context;
      await using fleet = await Fleet.start();
      const took: number[] = [];
      for (let nth = 0; nth < repetitions; nth += 1) {
        await sleep(random() * 2_000);
        const leader = leaderOf(fleet);
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
        const leader = leaderOf(fleet);
        leader.daemon.signal("SIGKILL");
        took.push(await fleet.settled(leader));
        fleet.drop(leader);
        await fleet.add();
      }
      report("SIGKILL until another replica writes", took);
      expect(Math.min(...took)).toBeGreaterThan(10);
      expect(Math.max(...took)).toBeLessThan(30);
      expect(new Set(writersIn(fleet.writes)).size).toBe(writersIn(fleet.writes).length);
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
        const stale = leaderOf(fleet);
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
    },
  );

  it(
    "hold a revision that the leader holds when it ends, by TERM and KILL",
    { timeout: 3_600_000 },
    async ({ expect }) => {
      await using kube = await startKubeApi();
      await using example = await exampleWithEmulator({
        config: 'schedule: { cron: "* * * * * *" }\ncluster: { kubeconfig: kubeconfig }',
      });
      const { place, emulator } = example;
      const writes = (): number =>
        emulator.journal().filter(({ method }) => method !== "GET").length;
      await place.write("kubeconfig", kube.kubeconfig);
      let leader = await startDaemon(place.directory);
      await said(leader, "plan applied", 2);
      // From now on, two of the example's three zones are too many for one step.
      const limits = `${await place.read("zonewarden.yaml")}limits: { min_fleet: 2 }\n`;
      await place.write("zonewarden.yaml", limits);
      await said(leader, "configuration applied");
      const profile = await place.read("zones/baseline.yaml");
      const weaker = profile.replace("score_threshold: medium", "score_threshold: low");
      await place.write("zones/baseline.yaml", weaker);
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
      fleet.kube.fault = () => "hang";
      const cut = performance.now();
      await eventually("the leader stops", () =>
        leaderOf(fleet).daemon.output().includes("leadership lost") ? true : undefined,
      );
      expect((performance.now() - cut) / 1_000).toBeLessThan(12);
      await sleep(500);
      const before = fleet.writes.length;
      await sleep(15_000);
      expect(fleet.writes.slice(before)).toEqual([]);
      fleet.kube.fault = () => undefined;
      report("API server back until a replica writes", [await fleet.settled()]);
    },
  );
});
