import type { StateLoss, OpenResult } from "../state-store.ts";
import { type PackedState, packState, unpackState } from "./packed-state.ts";
import type { ConfigMaps, MapContent, StoredMap } from "./stored-map.ts";

/** Whose state it is, and who writes it. */
export interface StateWriter {
  readonly owner: string;
  /** Address of the service. */
  readonly service: string;
  /** Another one for each process. */
  readonly identity: string;
  /** Whether this process still holds the Lease. */
  readonly isHeld: () => boolean;
}

/** What was found in the cluster. */
export interface FoundState {
  readonly opened: OpenResult;
  readonly entries: Map<string, string>;
}

/** The chunks are written into the set that is not in use; then the head names it. */
const sets = ["a", "b"] as const;

type ChunkSet = (typeof sets)[number];

/** Chunks of one set. With both sets and the head they are the ConfigMaps that the Role names. */
const maxChunks = 8;

const format = "zonewarden-state";
const formatVersion = 1;
const chunkKey = "state";

/** An object that changes while it is written is written again, so often. */
const maxAttempts = 5;

/** The names of all ConfigMaps of a state: the head first. */
export function stateMapNames(name: string): readonly string[] {
  const chunks = sets.flatMap((set) =>
    Array.from({ length: maxChunks }, (_, nth) => chunkName(name, set, nth)),
  );
  return [name, ...chunks];
}

function chunkName(name: string, set: ChunkSet, nth: number): string {
  return `${name}-${set}${nth}`;
}

/** Another process writes the state now. */
class StateTaken extends Error {
  override readonly name = "StateTaken";
}

/**
 * The state in ConfigMaps. A write is one change or none: the chunks go into the set that is not in use, and then the head
 * names that set. The version of the head keeps a writer from overwriting what its successor wrote.
 */
export class StateMaps {
  readonly #name: string;
  readonly #maps: ConfigMaps;
  readonly #writer: StateWriter;
  readonly #versions = new Map<string, string>();
  #set: ChunkSet = "b";

  constructor(name: string, maps: ConfigMaps, writer: StateWriter) {
    this.#name = name;
    this.#maps = maps;
    this.#writer = writer;
  }

  /**
   * Reads the state, and takes it from the writer before. If there is none it makes an empty one, so that the namespace
   * shows that a process works. Rejects if it cannot be read now.
   */
  async open(): Promise<FoundState> {
    const head = await this.#read(this.#name);
    const found = head === undefined ? await this.#withoutHead() : await this.#behind(head);
    // A writer that was paused finds that the head is no longer its own.
    if (head !== undefined) await this.#writeHead(head.data);
    else if (found.opened.result === "empty") await this.#writeHead(emptyHead(this.#writer));
    return found;
  }

  /** Stores all texts by key; gives the bytes that were written. */
  async store(entries: ReadonlyMap<string, string>): Promise<number> {
    const packed = await packState(entries);
    const { chunks, bytes } = packed;
    if (chunks.length > maxChunks) {
      throw new Error(`the state has ${bytes} bytes, and ${maxChunks} ConfigMaps hold less`);
    }
    const next = this.#set === "a" ? "b" : "a";
    for (const [nth, chunk] of chunks.entries()) {
      const name = chunkName(this.#name, next, nth);
      await this.#write(name, { binaryData: { [chunkKey]: chunk } });
    }
    await this.#writeHead(this.#headOf(packed, next, entries.size));
    this.#set = next;
    return bytes;
  }

  #headOf(
    { chunks, checksum }: PackedState,
    set: ChunkSet,
    entries: number,
  ): Readonly<Record<string, string>> {
    return {
      ...emptyHead(this.#writer),
      set,
      chunks: String(chunks.length),
      entries: String(entries),
      checksum,
    };
  }

  async #withoutHead(): Promise<FoundState> {
    for (const set of sets) {
      if ((await this.#read(chunkName(this.#name, set, 0))) === undefined) continue;
      return lost("damaged", `ConfigMap ${this.#name} is missing, and its chunks are there`);
    }
    return { opened: { result: "empty" }, entries: new Map() };
  }

  async #behind({ data }: StoredMap): Promise<FoundState> {
    const why = whyUnusable(data, this.#writer);
    if (why !== undefined) return why;
    if (data["chunks"] === "0") return { opened: { result: "empty" }, entries: new Map() };
    const set = sets.find((each) => each === data["set"]);
    const count = Number(data["chunks"]);
    if (set === undefined || !(count >= 1 && count <= maxChunks)) {
      return lost("damaged", `ConfigMap ${this.#name} is damaged`);
    }
    this.#set = set;
    const chunks: Uint8Array[] = [];
    for (let nth = 0; nth < count; nth += 1) {
      const chunk = await this.#read(chunkName(this.#name, set, nth));
      chunks.push(chunk?.binaryData[chunkKey] ?? new Uint8Array());
    }
    const entries = await unpackState(chunks, data["checksum"] ?? "");
    if (entries === undefined) return lost("damaged", `the chunks of set ${set} are damaged`);
    return { opened: { result: "loaded", entries: entries.size }, entries };
  }

  async #read(name: string): Promise<StoredMap | undefined> {
    const found = await this.#maps.read(name);
    if (found === undefined) this.#versions.delete(name);
    else this.#versions.set(name, found.version);
    return found;
  }

  async #writeHead(data: Readonly<Record<string, string>>): Promise<void> {
    await this.#write(this.#name, { data: { ...data, writer: this.#writer.identity } });
  }

  /** Writes an object, again where somebody else changed or removed it meanwhile and the head is still ours. */
  async #write(name: string, content: MapContent): Promise<void> {
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      if (!this.#writer.isHeld()) throw new StateTaken("the Lease is lost");
      const version = await this.#maps.write(name, content, this.#versions.get(name));
      if (version !== undefined) {
        this.#versions.set(name, version);
        return;
      }
      const head = await this.#read(this.#name);
      const isOurs = ["", this.#writer.identity].includes(head?.data["writer"] ?? "");
      if (!isOurs) throw new StateTaken("another process writes the state");
      if (name !== this.#name) await this.#read(name);
    }
    throw new Error(`ConfigMap ${name} changes all the time`);
  }
}

/** The head of a state of which nothing was stored yet. */
function emptyHead({
  owner,
  service,
}: Pick<StateWriter, "owner" | "service">): Readonly<Record<string, string>> {
  return { format, version: String(formatVersion), owner, service, chunks: "0", entries: "0" };
}

/** What keeps a state with this head from being used. */
function whyUnusable(
  head: StoredMap["data"],
  { owner, service }: StateWriter,
): FoundState | undefined {
  if (head["format"] !== format) return lost("foreign", "the ConfigMap is no state of zonewarden");
  if (!(Number(head["version"]) <= formatVersion)) {
    return lost("newer", `the state has version ${head["version"] ?? ""}, known is 1`);
  }
  if (head["owner"] === owner && head["service"] === service) return undefined;
  const whose = `owner "${head["owner"] ?? ""}" at "${head["service"] ?? ""}"`;
  return lost("foreign", `the state belongs to ${whose}`);
}

function lost(reason: StateLoss, detail: string): FoundState {
  return { opened: { result: "lost", reason, detail }, entries: new Map() };
}
