import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import type { JournalEntry } from "../../src/emulator/emulated-service.ts";
import { coerceObject, coerceText, type JsonObject } from "../../src/syntax/json.ts";
import { control, type Example, exampleWithEmulator } from "./example.ts";
import { type KubeApi, startKubeApi } from "./kube-api.ts";
import { type Daemon, eventually, startDaemon } from "./processes.ts";

export const shardNames: readonly string[] = Array.from({ length: 8 }, (_, nth) => `c${nth}`);

const zonesOfShard = 2;

/** All zones, by the name of their credential. */
export const zonesOf: ReadonlyMap<string, readonly string[]> = new Map(
  shardNames.map((shard) => [
    shard,
    Array.from({ length: zonesOfShard }, (_, nth) => `${shard}-${nth}.example.com`),
  ]),
);

const leases = "/apis/coordination.k8s.io/v1/namespaces/zonewarden/leases/zonewarden.";

export interface Replica {
  /** The emulator's journal tells replicas apart by their tokens, which begin with it. */
  readonly name: string;
  readonly daemon: Daemon;
}

/** Since when a shard has a holder; "": nobody. */
export interface Holding {
  readonly shard: string;
  readonly holder: string;
  readonly at: number;
}

/** A write as the emulator saw it. */
export interface ShardWrite {
  readonly shard: string;
  readonly replica: string;
  readonly zone: string;
  readonly at: number;
  readonly number: number;
}

/**
 * Replicas that share eight credentials, as processes, and somebody who edits a zone several times a second, so that whoever
 * may write does. The API server notes each holder, the emulator each write: afterwards they are compared.
 */
export class ShardedFleet implements AsyncDisposable {
  readonly kube: KubeApi;
  readonly example: Example;
  readonly holdings: Holding[] = [];
  readonly writes: ShardWrite[] = [];
  /** When a zone was last read or written, by its name. */
  readonly handled = new Map<string, number>();
  /** The longest time for which a zone was not handled. */
  longestGapMs = 0;
  #replicas: readonly Replica[] = [];
  #started = 0;
  #harvested = 0;
  readonly #ids = new Map<string, string>();
  readonly #zoneNames = new Map<string, string>();
  readonly #stop = new AbortController();
  readonly #working: Promise<void>[] = [];

  private constructor(kube: KubeApi, example: Example) {
    this.kube = kube;
    this.example = example;
    kube.stored = (at, object) => this.#note(at, object);
  }

  /** Starts the API server, the service and so many replicas, and waits until all shards are held. */
  static async start(replicas: number, drifts = true): Promise<ShardedFleet> {
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
    await fleet.#learnZones();
    fleet.#working.push(fleet.#harvestRepeatedly(), ...(drifts ? [fleet.#drift()] : []));
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

  drop(replica: Replica): void {
    this.#replicas = this.#replicas.filter((each) => each !== replica);
  }

  /** The holders of all shards now, "" for none. */
  get holders(): ReadonlyMap<string, string> {
    return new Map(
      shardNames.map((shard) => [shard, holderIn(this.kube.objects.get(`${leases}${shard}`))]),
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
    await eventually("the shards are spread", () => this.isSettled || undefined, 90);
    return (performance.now() - from) / 1_000;
  }

  /** Resolves when other replicas hold these shards, with the seconds that it took. */
  async moved(shards: readonly string[], from: Replica): Promise<number> {
    const since = performance.now();
    const isMoved = (shard: string): boolean => {
      const holder = this.replicaOf(this.holders.get(shard) ?? "");
      return holder !== "" && holder !== from.name;
    };
    await eventually("the shards move", () => shards.every(isMoved) || undefined, 90);
    return (performance.now() - since) / 1_000;
  }

  /** Resolves when each zone of these shards was written since now: whoever holds them works. */
  async worked(shards: readonly string[]): Promise<number> {
    const since = performance.now();
    const from = Date.now();
    const zones = shards.flatMap((shard) => zonesOf.get(shard) ?? []);
    const isDone = (zone: string): boolean =>
      this.writes.some((write) => write.zone === zone && write.at > from);
    await eventually("the zones are written", () => zones.every(isDone) || undefined, 60);
    return (performance.now() - since) / 1_000;
  }

  /** Each write of a replica that did not hold the Lease of the shard when the service answered it. */
  get strayWrites(): readonly string[] {
    this.#harvest();
    const byShard = Map.groupBy(this.holdings, ({ shard }) => shard);
    return this.writes.flatMap(({ shard, replica, at, number }) => {
      const holder = (byShard.get(shard) ?? []).findLast((holding) => holding.at <= at)?.holder;
      const name = this.replicaOf(holder ?? "");
      return name === replica ? [] : [`#${number} ${shard} by ${replica}, held by ${name}`];
    });
  }

  #note(at: string, object: JsonObject): void {
    if (!at.startsWith(leases)) return;
    const shard = at.slice(leases.length);
    const holder = holderIn(object);
    const known = this.holdings.findLast((holding) => holding.shard === shard)?.holder;
    if (holder !== known) this.holdings.push({ shard, holder, at: Date.now() });
  }

  async #harvestRepeatedly(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#harvest();
      await sleep(200);
    }
  }

  #harvest(): void {
    const entries = this.example.emulator.journal();
    for (const entry of entries) {
      if (entry.number <= this.#harvested) continue;
      this.#harvested = entry.number;
      this.#take(entry);
    }
  }

  #take({ number, at, method, path: address, credential }: JournalEntry): void {
    const zone = this.#zoneIn(address);
    if (zone === undefined) return;
    const moment = Date.parse(at);
    const before = this.handled.get(zone) ?? moment;
    this.longestGapMs = Math.max(this.longestGapMs, moment - before);
    this.handled.set(zone, moment);
    if (method === "GET") return;
    const [replica = "", shard = ""] = credential.split("-");
    this.writes.push({ shard, replica, zone, at: moment, number });
  }

  #zoneIn(address: string): string | undefined {
    const id = /\/zones\/([0-9a-f]{32})\//.exec(address)?.[1];
    return this.#zoneNames.get(id ?? "");
  }

  /** Learns the ids of the zones. */
  async #learnZones(): Promise<void> {
    const response = await fetch(`${this.example.emulator.baseUrl}/zones?per_page=50`, {
      headers: { authorization: "Bearer token-r299-c0" },
    });
    const { result } = coerceObject(await response.json());
    for (const zone of Array.isArray(result) ? result : []) {
      const { id, name } = coerceObject(zone);
      this.#zoneNames.set(coerceText(id), coerceText(name));
    }
  }

  async #drift(): Promise<void> {
    const zones = [...zonesOf.values()].flat();
    for (let nth = 0; !this.#stop.signal.aborted; nth += 1) {
      const zone = zones[(nth * 3) % zones.length];
      await control(this.example, "edit", { zone, settings: { enabled: false } });
      await sleep(60);
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

function holderIn(object: JsonObject | undefined): string {
  return coerceText(coerceObject(object?.["spec"])["holderIdentity"]);
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
