import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { control, type Example, exampleWithEmulator } from "./example.ts";
import { type KubeApi, startKubeApi } from "./kube-api.ts";
import { type Daemon, eventually, startDaemon } from "./processes.ts";
import { holderIn, shardLeases, ShardWitness } from "./shard-witness.ts";

export const shardNames: readonly string[] = Array.from({ length: 8 }, (_, nth) => `c${nth}`);

const zonesOfShard = 2;

/** All zones, by the name of their credential. */
export const zonesOf: ReadonlyMap<string, readonly string[]> = new Map(
  shardNames.map((shard) => [
    shard,
    Array.from({ length: zonesOfShard }, (_, nth) => `${shard}-${nth}.example.com`),
  ]),
);

export interface Replica {
  /** The emulator's journal tells replicas apart by their tokens, which begin with it. */
  readonly name: string;
  readonly daemon: Daemon;
}

/** How a fleet begins. */
export interface FleetOptions {
  readonly replicas: number;
  /** Between two edits by hand, each of another zone; `undefined`: there are none. */
  readonly editEveryMs: number | undefined;
}

/**
 * Replicas that share eight credentials, as processes, and somebody who edits a zone several times a second, so that whoever
 * may write does. The API server notes each holder, the emulator each write: afterwards they are compared.
 */
export class ShardedFleet implements AsyncDisposable {
  readonly kube: KubeApi;
  readonly example: Example;
  readonly witness: ShardWitness;
  #replicas: readonly Replica[] = [];
  #started = 0;
  readonly #ids = new Map<string, string>();
  readonly #stop = new AbortController();
  readonly #working: Promise<void>[] = [];

  private constructor(kube: KubeApi, example: Example) {
    this.kube = kube;
    this.example = example;
    this.witness = new ShardWitness(example.emulator, (identity) => this.replicaOf(identity));
    kube.stored = (at, object) => this.witness.note(at, object);
  }

  /** Starts the API server, the service and so many replicas, and waits until all shards are held. */
  static async start({ replicas, editEveryMs }: FleetOptions): Promise<ShardedFleet> {
    const kube = await startKubeApi();
    const tokens = Array.from({ length: 300 }, (_, nth) =>
      shardNames.map((shard) => ({
        name: `r${nth}-${shard}`,
        value: `token-r${nth}-${shard}`,
        permissions: "all" as const,
      })),
    ).flat();
    const zones = [...zonesOf.values()].flat();
    const example = await exampleWithEmulator({
      seed: { tokens, rate_limit: false, zones: zones.map((name) => ({ name })) },
      config: configOf(),
      sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    });
    const declared = zones.map((name) => ({ name, page_shield: { settings: { enabled: true } } }));
    await example.place.write("fleet/zones.yaml", JSON.stringify({ zones: declared }));
    await control(example, "faults", { fault: "latency", milliseconds: 20, method: "PUT" });
    const fleet = new ShardedFleet(kube, example);
    await fleet.witness.learnZones();
    fleet.#working.push(fleet.#harvestRepeatedly());
    if (editEveryMs !== undefined) fleet.#working.push(fleet.#edit(editEveryMs));
    await Promise.all(Array.from({ length: replicas }, () => fleet.add()));
    await fleet.settled();
    return fleet;
  }

  get replicas(): readonly Replica[] {
    return this.#replicas;
  }

  async add(): Promise<Replica> {
    const name = `r${this.#started}`;
    this.#started += 1;
    const env = Object.fromEntries(
      shardNames.map((shard) => [`TOKEN_${shard}`, `token-${name}-${shard}`]),
    );
    const { place } = this.example;
    // Each has a token of its own: the API server tells them apart.
    await place.write(`${name}/kubeconfig`, this.kube.kubeconfig.replace("kube-token", name));
    await place.write(`${name}/zonewarden.yaml`, await place.read("zonewarden.yaml"));
    const daemon = await startDaemon(path.join(place.directory, name), env);
    const replica = { name, daemon };
    this.#replicas = [...this.#replicas, replica];
    return replica;
  }

  /** Changes the configuration of all replicas, of those too that start later, and waits until they have it. */
  async reconfigure(change: (config: string) => string): Promise<void> {
    const { place } = this.example;
    const config = change(await place.read("zonewarden.yaml"));
    await place.write("zonewarden.yaml", config);
    for (const { name } of this.#replicas) await place.write(`${name}/zonewarden.yaml`, config);
    await eventually("the configuration is applied", () =>
      this.#replicas.every(({ daemon }) => daemon.output().includes("configuration applied"))
        ? true
        : undefined,
    );
  }

  drop(replica: Replica): void {
    this.#replicas = this.#replicas.filter((each) => each !== replica);
  }

  /** The holders of all shards now, "" for none. */
  get holders(): ReadonlyMap<string, string> {
    return new Map(
      shardNames.map((shard) => [shard, holderIn(this.kube.objects.get(`${shardLeases}${shard}`))]),
    );
  }

  /** The name of the replica of an identity; "" where it is none of these. */
  replicaOf(identity: string): string {
    const known = this.#ids.get(identity);
    if (known !== undefined) return known;
    const found = this.#replicas.find(({ daemon }) =>
      daemon.output().includes(`"identity":"${identity}"`),
    );
    if (identity === "" || found === undefined) return "";
    this.#ids.set(identity, found.name);
    return found.name;
  }

  shardsOf({ name }: Replica): readonly string[] {
    return [...this.holders]
      .filter(([, holder]) => this.replicaOf(holder) === name)
      .map(([shard]) => shard);
  }

  /** Whether every shard is held by a replica that runs, and none has more than one more than another. */
  get isSettled(): boolean {
    const counts = this.#replicas.map((replica) => this.shardsOf(replica).length);
    const held = counts.reduce((a, b) => a + b, 0);
    return held === shardNames.length && Math.max(...counts) - Math.min(...counts) <= 1;
  }

  /** Resolves when the shards are spread evenly, with the seconds that it took. */
  async settled(): Promise<number> {
    const from = performance.now();
    await this.#until("the shards are spread", () => this.isSettled);
    return (performance.now() - from) / 1_000;
  }

  /** A failure says what each replica said last. */
  async #until(what: string, isSo: () => boolean): Promise<void> {
    try {
      await eventually(what, () => isSo() || undefined, 90);
    } catch (cause) {
      const said = this.#replicas.map(
        ({ name, daemon }) => `${name}:\n${daemon.output().slice(-3_000)}`,
      );
      const record = this.kube.objects.get(shardLeases.slice(0, -1));
      const seen = [JSON.stringify([...this.holders]), JSON.stringify(record), ...said];
      throw new Error(`${what}:\n${seen.join("\n")}`, { cause });
    }
  }

  /** Resolves when other replicas hold these shards, with the seconds that it took. */
  async moved(shards: readonly string[], from: Replica): Promise<number> {
    const since = performance.now();
    const isMoved = (shard: string): boolean => {
      const holder = this.replicaOf(this.holders.get(shard) ?? "");
      return holder !== "" && holder !== from.name;
    };
    await this.#until("the shards move", () => shards.every(isMoved));
    return (performance.now() - since) / 1_000;
  }

  /** Resolves when each zone of these shards was written since now: whoever holds them works. */
  async worked(shards: readonly string[]): Promise<number> {
    const since = performance.now();
    const from = Date.now();
    const zones = shards.flatMap((shard) => zonesOf.get(shard) ?? []);
    const isDone = (zone: string): boolean =>
      this.witness.writes.some((write) => write.zone === zone && write.at > from);
    await this.#until("the zones are written", () => zones.every(isDone));
    return (performance.now() - since) / 1_000;
  }

  async #harvestRepeatedly(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.witness.harvest();
      await sleep(200);
    }
  }

  async #edit(everyMs: number): Promise<void> {
    const zones = [...zonesOf.values()].flat();
    for (let nth = 0; !this.#stop.signal.aborted; nth += 1) {
      const zone = zones[(nth * 3) % zones.length] ?? "";
      const from = Date.now();
      await control(this.example, "edit", { zone, settings: { enabled: false } });
      this.witness.edits.push({ zone, from, to: Date.now() });
      await sleep(everyMs);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#working);
    await Promise.all(this.#replicas.map(({ daemon }) => daemon[Symbol.asyncDispose]()));
    await this.kube[Symbol.asyncDispose]();
    await this.example[Symbol.asyncDispose]();
  }
}

function configOf(): string {
  const credentials = shardNames.map((name) => ({
    name,
    token_env: `TOKEN_${name}`,
    zones: [`${name}-*.example.com`],
  }));
  return `schedule: { cron: "* * * * * *" }
desired: { path: ../fleet }
budget: { requests: 100000 }
limits: { contended_rounds: 1000, contended_window: 1s, max_fleet_share: 1 }
credentials: ${JSON.stringify(credentials)}
cluster: { kubeconfig: kubeconfig, shards: credential }`;
}
