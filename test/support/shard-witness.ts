import type { JournalEntry } from "../../src/emulator/emulated-service.ts";
import type { Emulator } from "../../src/emulator/start-emulator.ts";
import { coerceObject, coerceText, type JsonObject } from "../../src/syntax/json.ts";

/** Where the Leases of the shards are; the name of the credential follows. */
export const shardLeases = "/apis/coordination.k8s.io/v1/namespaces/zonewarden/leases/zonewarden.";

/** Since when a shard has a holder; "": nobody. */
export interface Holding {
  readonly shard: string;
  readonly holder: string;
  readonly at: number;
}

/** An edit by hand, from when it was asked for to when it was done. */
interface Edit {
  readonly zone: string;
  readonly from: number;
  readonly to: number;
}

/** A write as the emulator saw it. */
export interface ShardWrite {
  readonly shard: string;
  readonly replica: string;
  readonly zone: string;
  readonly at: number;
  readonly number: number;
}

/** What the API server and the service see of replicas that share shards: who held what, and who wrote what. */
export class ShardWitness {
  readonly holdings: Holding[] = [];
  readonly writes: ShardWrite[] = [];
  readonly edits: Edit[] = [];
  /** When a zone was last read or written, by its name. */
  readonly handled = new Map<string, number>();
  /** The longest time for which a zone was not handled. */
  longestGapMs = 0;
  #harvested = 0;
  readonly #emulator: Emulator;
  readonly #replicaOf: (identity: string) => string;
  readonly #zoneNames = new Map<string, string>();

  /** @param replicaOf gives the name of the replica of an identity. */
  constructor(emulator: Emulator, replicaOf: (identity: string) => string) {
    this.#emulator = emulator;
    this.#replicaOf = replicaOf;
  }

  /** Each write of a replica that did not hold the Lease of the shard when the service answered it. */
  get strayWrites(): readonly string[] {
    this.harvest();
    const byShard = Map.groupBy(this.holdings, ({ shard }) => shard);
    return this.writes.flatMap(({ shard, replica, at, number }) => {
      const holder = (byShard.get(shard) ?? []).findLast((holding) => holding.at <= at)?.holder;
      const name = this.#replicaOf(holder ?? "");
      return name === replica ? [] : [`#${number} ${shard} by ${replica}, held by ${name}`];
    });
  }

  /** Each write of a zone that another came before, with no edit of it between them. */
  get repeatedWrites(): readonly string[] {
    this.harvest();
    const edits = Map.groupBy(this.edits, ({ zone }) => zone);
    return [...Map.groupBy(this.writes, ({ zone }) => zone)].flatMap(([zone, writes]) =>
      writes.flatMap(({ number, at }, nth) => {
        const before = writes[nth - 1];
        if (before === undefined) return [];
        // The service answers within so many milliseconds after it has written.
        const isEdited = (edits.get(zone) ?? []).some(
          ({ from, to }) => to >= before.at - 100 && from <= at,
        );
        return isEdited ? [] : [`${zone}: #${before.number} and #${number}`];
      }),
    );
  }

  /** Takes in an object that the API server stored. */
  note(at: string, object: JsonObject): void {
    if (!at.startsWith(shardLeases)) return;
    const shard = at.slice(shardLeases.length);
    const holder = holderIn(object);
    const known = this.holdings.findLast((holding) => holding.shard === shard)?.holder;
    if (holder !== known) this.holdings.push({ shard, holder, at: Date.now() });
  }

  /** Takes in what the service has seen since the last call. */
  harvest(): void {
    const entries = this.#emulator.journal();
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
  async learnZones(): Promise<void> {
    const response = await fetch(`${this.#emulator.baseUrl}/zones?per_page=50`, {
      headers: { authorization: "Bearer token-r299-c0" },
    });
    const { result } = coerceObject(await response.json());
    for (const zone of Array.isArray(result) ? result : []) {
      const { id, name } = coerceObject(zone);
      this.#zoneNames.set(coerceText(id), coerceText(name));
    }
  }
}

/** The holder of a Lease; "": nobody. */
export function holderIn(object: JsonObject | undefined): string {
  return coerceText(coerceObject(object?.["spec"])["holderIdentity"]);
}
