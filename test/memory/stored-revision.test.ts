import { describe, it } from "vitest";

import { ZoneFileLoader } from "../../src/desired/load/zone-file-loader.ts";
import { MemoryStore } from "../../src/memory/memory-store.ts";
import { filesOf, headIn, StoredRevision } from "../../src/memory/stored-revision.ts";
import type { RoundProgress } from "../../src/reconcile/fleet/desired-fleet.ts";
import { SimulatedClock } from "../support/clock.ts";
import { damagedIn } from "../support/damaged-in.ts";
import { MemoryDisk } from "../support/memory-files.ts";

const never = new AbortController().signal;

const zones = (name: string): string =>
  `zones: [{ name: ${name}, page_shield: { settings: { enabled: true } } }]`;

interface Bench {
  readonly disk: MemoryDisk;
  readonly store: MemoryStore;
  readonly loader: ZoneFileLoader;
  readonly save: (round?: RoundProgress, inForce?: readonly string[]) => Promise<void>;
}

const closed: RoundProgress = { phase: "closed", passed: 0, judgesKnown: false };

function bench(place = "/zones"): Bench {
  const [disk, store, clock] = [new MemoryDisk(), new MemoryStore(), new SimulatedClock()];
  const loader = new ZoneFileLoader({ path: place, files: disk.port, clock });
  const save = async (
    round: RoundProgress = closed,
    inForce: readonly string[] = [],
  ): Promise<void> => {
    await using revision = new StoredRevision(store, place, disk.port);
    revision.store(await loader.load(never), round, new Set(inForce));
  };
  return { disk, store, loader, save };
}
/** The names of the zones that a new process restores, and its revision. */
async function restored(
  { store }: Bench,
  place = "/zones",
  earlier = "",
): Promise<{ readonly hash: string; readonly names: readonly string[] } | undefined> {
  const empty = new MemoryDisk();
  const revision = new StoredRevision(store, place, empty.port);
  const stored = earlier === "" ? revision.stored() : revision.earlier(earlier);
  if (stored === undefined) return undefined;
  const loader = new ZoneFileLoader({
    path: place,
    files: empty.port,
    clock: new SimulatedClock(),
  });
  const { documents } = await loader.restore(stored.files, never);
  const names = documents.flatMap(({ target }) => (target.by === "name" ? [target.name] : []));
  return { hash: stored.hash, names };
}

describe("the stored revision", () => {
  it.for<RoundProgress>([
    { phase: "closed", passed: 0, judgesKnown: false },
    { phase: "open", passed: 3, judgesKnown: true },
  ])("has how far the first round was: $phase", async (round, { expect }) => {
    const at = bench();
    at.disk.write("/zones/shop.yaml", zones("shop.example"));
    await at.save(round);
    expect(new StoredRevision(at.store, "/zones", at.disk.port).stored()?.round).toEqual(round);
  });

  it("lets no forged number raise the limit of the first round", async ({ expect }) => {
    const at = bench();
    at.disk.write("/zones/shop.yaml", zones("shop.example"));
    await at.save({ phase: "open", passed: 3, judgesKnown: false });
    const head = at.store.get("revision") ?? "";
    at.store.set("revision", head.replace('"passed":3', '"passed":-3'));
    expect(new StoredRevision(at.store, "/zones", at.disk.port).stored()?.round.passed).toBe(0);
  });

  it("keeps the files that a new revision does not change", async ({ expect }) => {
    const at = bench();
    at.disk.write("/zones/shop.yaml", zones("shop.example"));
    at.disk.write("/zones/blog.yaml", zones("blog.example"));
    await at.save();
    at.disk.write("/zones/blog.yaml", zones("news.example"));
    const reads: string[] = [];
    at.disk.beforeRead = (place) => void reads.push(place);
    await at.save();
    expect((await restored(at))?.names.toSorted()).toEqual(["news.example", "shop.example"]);
    // Each is loaded; what has changed is read once more, to store it.
    const [blog, shop] = ["/zones/blog.yaml", "/zones/shop.yaml"];
    expect(reads.toSorted()).toEqual([blog, blog, shop]);
  });

  it("has the files of the directory, in their folders", async ({ expect }) => {
    const at = bench();
    at.disk.write("/zones/shop.yaml", zones("shop.example"));
    at.disk.write("/zones/team/blog.yaml", zones("blog.example"));
    await at.save();
    const { hash } = await at.loader.load(never);
    expect(await restored(at)).toEqual({ hash, names: ["shop.example", "blog.example"] });
  });

  it("lists of a folder what is in it", async ({ expect }) => {
    const names = ["shop.yaml", "team/blog.yaml", "team/eu/news.yaml"];
    const contents = new Map(names.map((name) => [name, Buffer.from("zones: []")]));
    const files = filesOf("/zones", contents, false);
    expect(await files.list("/zones")).toEqual(["shop.yaml", "team"]);
    expect(await files.list("/zones/team")).toEqual(["blog.yaml", "eu"]);
  });

  it("has no other file", async ({ expect }) => {
    const files = filesOf("/zones", new Map([["shop.yaml", Buffer.from("zones: []")]]), false);
    const none = { message: "there is no /zones/blog.yaml", code: "ENOENT" };
    await expect(files.facts("/zones/blog.yaml")).rejects.toMatchObject(none);
    await expect(files.read("/zones/blog.yaml", 1_000, never)).rejects.toMatchObject(none);
  });

  it.for([
    ['"hash":"h","round":"planning","passed":3', 3],
    ['"hash":"h","round":"planning","passed":"3"', 0],
    ['"hash":"h","round":"planning","passed":-3', 0],
    ['"hash":"h","round":"planning"', 0],
  ] as const)("with the head {%s} has passed %i zones", ([head, passed], { expect }) => {
    expect(headIn(`{${head}}`)?.round).toMatchObject({ phase: "planning", passed });
  });

  it("has the one file that the path leads to", async ({ expect }) => {
    const at = bench("/zones/shop.yaml");
    at.disk.write("/zones/shop.yaml", zones("shop.example"));
    await at.save();
    expect((await restored(at, "/zones/shop.yaml"))?.names).toEqual(["shop.example"]);
    const stored = new StoredRevision(at.store, "/zones/shop.yaml", at.disk.port).stored();
    expect(await stored?.files.facts("/zones/shop.yaml")).toMatchObject({ kind: "file" });
  });

  it("keeps the last good version of a broken file, and forgets a removed one", async ({
    expect,
  }) => {
    const at = bench();
    at.disk.write("/zones/news.yaml", zones("news.example"));
    at.disk.write("/zones/shop.yaml", zones("shop.example"));
    at.disk.write("/zones/blog.yaml", zones("blog.example"));
    await at.save();
    at.disk.write("/zones/shop.yaml", "zones: [");
    at.disk.make("/zones/news.yaml", "unreadable");
    at.disk.delete("/zones/blog.yaml");
    at.disk.write("/zones/new.yaml", zones("new.example"));
    await at.save();
    const names = ["new.example", "news.example", "shop.example"];
    expect((await restored(at))?.names).toEqual(names);
  });

  it.for([
    { what: "another hash", forge: (text: string) => text.replace(/^./, "0") },
    { what: "a torn content", forge: (text: string) => text.slice(0, -8) },
    { what: "no content", forge: () => "" },
  ])("with $what in a file counts as none", async ({ forge }, { expect }) => {
    const at = bench();
    at.disk.write("/zones/shop.yaml", zones("shop.example"));
    await at.save();
    at.store.set("file/shop.yaml", forge(at.store.get("file/shop.yaml") ?? ""));
    expect(await restored(at)).toBeUndefined();
  });

  it("stays as it was where a file disappears while it is stored", async ({ expect }) => {
    const at = bench();
    at.disk.write("/zones/shop.yaml", zones("shop.example"));
    await at.save();
    const before = await restored(at);
    at.disk.write("/zones/shop.yaml", zones("other.example"));
    const state = await at.loader.load(never);
    at.disk.beforeRead = (place) => at.disk.delete(place);
    {
      await using revision = new StoredRevision(at.store, "/zones", at.disk.port);
      revision.store(state, closed, new Set());
    }
    expect(await restored(at)).toEqual(before);
  });

  it("is kept after it was replaced, while it is in force in a zone", async ({ expect }) => {
    const at = bench();
    at.disk.write("/zones/shop.yaml", zones("shop.example"));
    at.disk.write("/zones/team/blog.yaml", zones("blog.example"));
    await at.save();
    const first = await restored(at);
    const hash = first?.hash ?? "";
    await at.save({ ...closed, passed: 1 }, [hash]);
    expect(at.store.keys("earlier/")).toEqual([]);
    at.disk.write("/zones/shop.yaml", zones("second.example"));
    await at.save(closed, [hash]);
    at.disk.write("/zones/shop.yaml", zones("third.example"));
    await at.save(closed, [hash]);
    expect((await restored(at))?.names).toEqual(["third.example", "blog.example"]);
    expect(await restored(at, "/zones", hash)).toEqual(first);

    at.disk.write("/zones/shop.yaml", zones("fourth.example"));
    await at.save();
    expect(await restored(at, "/zones", hash)).toBeUndefined();
    expect(at.store.keys("earlier/")).toEqual([]);
  });

  it("takes the place of an earlier one that is in force nowhere any more", async ({ expect }) => {
    const at = bench();
    const hashes: string[] = [];
    for (const name of ["first.example", "second.example", "third.example"]) {
      at.disk.write("/zones/shop.yaml", zones(name));
      await at.save(closed, hashes.slice(-1));
      hashes.push((await restored(at))?.hash ?? "");
    }
    const [first, second] = hashes;
    expect(await restored(at, "/zones", first)).toBeUndefined();
    expect(await restored(at, "/zones", second)).toEqual({
      hash: second,
      names: ["second.example"],
    });
  });

  it("has the name that Git gave it, or none", async ({ expect }) => {
    const at = bench();
    at.disk.write("/zones/shop.yaml", zones("shop.example"));
    await at.save();
    const revision = new StoredRevision(at.store, "/zones", at.disk.port);
    expect(revision.stored()?.commit).toBeUndefined();
    const head = at.store.get("revision") ?? "";
    at.store.set("revision", head.replace('"hash"', '"commit":"8c9b6cf","hash"'));
    expect(revision.stored()?.commit).toBe("8c9b6cf");
  });

  it("is damaged in a state that lacks the content of one of its files", async ({ expect }) => {
    const at = bench();
    const tear = (key: string): void => at.store.set(key, at.store.get(key)?.slice(0, -9));
    at.disk.write("/zones/shop.yaml", zones("shop.example"));
    at.disk.write("/zones/blog.yaml", zones("blog.example"));
    await at.save();
    const { hash = "" } = (await restored(at)) ?? {};
    at.disk.write("/zones/shop.yaml", zones("second.example"));
    await at.save(closed, [hash]);
    expect(damagedIn(at.store)).toEqual([]);
    tear(`earlier/${hash}/file/shop.yaml`);
    expect(damagedIn(at.store)).toEqual([`earlier/${hash}/revision`]);
    tear("file/blog.yaml");
    expect(damagedIn(at.store)).toEqual(["revision", `earlier/${hash}/revision`]);
  });

  it("is none where nothing was stored", async ({ expect }) => {
    expect(await restored(bench())).toBeUndefined();
  });

  it("is stored in one turn, so that a crash leaves the files of one revision", async ({
    expect,
  }) => {
    const at = bench();
    at.disk.write("/zones/a.yaml", zones("a.example"));
    at.disk.write("/zones/b.yaml", zones("b.example"));
    const turns: number[] = [];
    let turn = 0;
    const count = (): void => {
      turn += 1;
      if (turn < 10_000) setImmediate(count);
    };
    const set = at.store.set.bind(at.store);
    at.store.set = (key, text) => {
      turns.push(turn);
      set(key, text);
    };
    setImmediate(count);
    await at.save();
    turn = 10_000;
    expect(turns).toHaveLength(3);
    expect(new Set(turns).size).toBe(1);
  });
});
