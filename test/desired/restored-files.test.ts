import { describe, it } from "vitest";

import { type LoadedFiles, ZoneFileLoader } from "../../src/desired/load/zone-file-loader.ts";
import { selectZones } from "../../src/desired/zones/select.ts";
import { SimulatedClock } from "../support/clock.ts";
import { memoryFiles, type MemoryDisk } from "../support/memory-files.ts";
import { zoneNamed as listed } from "../support/model.ts";

const never = new AbortController().signal;
const broken = "zones: [";

function zone(name: string, more = ""): string {
  return `zones: [{ name: ${name}${more}, page_shield: { settings: { enabled: true } } }]\n`;
}

const before = {
  "/zones/base.yaml": "profiles: { base: { page_shield: { settings: { enabled: false } } } }\n",
  "/zones/shop.yaml": zone("shop.example", ", profiles: [base]"),
  "/zones/team/blog.yaml": zone("blog.example"),
  "/zones/wiki.yaml": zone("wiki.example"),
};

/** Loads what the state has, then what is on the disk. */
async function afterRestart(
  change: (disk: MemoryDisk) => void,
): Promise<{ readonly disk: MemoryDisk; readonly load: () => Promise<LoadedFiles> }> {
  const disk = memoryFiles(before);
  const loader = new ZoneFileLoader({
    path: "/zones",
    files: disk.port,
    clock: new SimulatedClock(),
  });
  const state = await loader.restore(memoryFiles(before).port, never);
  if (!state.documents.every(({ isRestored }) => isRestored)) throw new Error("not marked");
  change(disk);
  return { disk, load: () => loader.load(never) };
}

function loaderOf(text: string): ZoneFileLoader {
  const files = memoryFiles({ "/zones/a.yaml": text }).port;
  return new ZoneFileLoader({ path: "/zones", files, clock: new SimulatedClock() });
}

function everyZone(part: string): string {
  return `zones: [{ match: { name: "*" }, page_shield: ${part} }]\n`;
}

function restoredIn({ documents }: LoadedFiles): readonly string[] {
  return documents
    .filter(({ isRestored }) => isRestored)
    .map(({ target }) => (target.by === "name" ? target.name : target.by));
}

describe("documents that only the state has", () => {
  it.for([
    { disk: "as it was", change: () => undefined, restored: [] },
    {
      disk: "with a broken zone",
      change: (disk: MemoryDisk) => disk.write("/zones/wiki.yaml", broken),
      restored: ["wiki.example"],
    },
    {
      disk: "with a broken profile",
      change: (disk: MemoryDisk) => disk.write("/zones/base.yaml", broken),
      restored: ["shop.example"],
    },
    {
      disk: "without the profile",
      change: (disk: MemoryDisk) => disk.delete("/zones/base.yaml"),
      restored: ["shop.example"],
    },
    {
      disk: "with a directory that cannot be read",
      change: (disk: MemoryDisk) => {
        disk.delete("/zones/team");
        disk.link("/zones/team", "team");
      },
      restored: ["blog.example"],
    },
    {
      disk: "with zones that have errors once they are merged",
      change: (disk: MemoryDisk) => {
        disk.write("/zones/wiki.yaml", zone("wiki.example", ", profiles: [none]"));
      },
      restored: ["wiki.example"],
    },
    {
      disk: "without a zone",
      change: (disk: MemoryDisk) => disk.delete("/zones/wiki.yaml"),
      restored: [],
    },
  ])("are marked, with the disk $disk", async ({ change, restored }, { expect }) => {
    const at = await afterRestart(change);
    expect(restoredIn(await at.load())).toEqual(restored);
    expect(restoredIn(await at.load())).toEqual(restored);
  });

  it("are the disk's once it had them, also when they break later", async ({ expect }) => {
    const { disk, load } = await afterRestart((at) => at.write("/zones/base.yaml", broken));
    await load();
    disk.write("/zones/base.yaml", before["/zones/base.yaml"]);
    expect(restoredIn(await load())).toEqual([]);
    disk.write("/zones/base.yaml", broken);
    disk.write("/zones/wiki.yaml", broken);
    expect(restoredIn(await load())).toEqual([]);
  });

  it("mark the zones that they are a part of", async ({ expect }) => {
    const onDisk = await loaderOf(everyZone("{ settings: { enabled: true } }")).load(never);
    const policies = loaderOf(everyZone("{ policies: { items: [] } }"));
    const inState = await policies.restore(
      memoryFiles({ "/zones/a.yaml": everyZone("{ policies: { items: [] } }") }).port,
      never,
    );
    const known = { zones: [listed("shop.example")], unlisted: [] };
    const both = [...onDisk.documents, ...inState.documents];
    expect(selectZones(both, known).zones).toMatchObject([{ isRestored: true }]);
    expect(selectZones(onDisk.documents, known).zones[0]).not.toHaveProperty("isRestored");
  });

  it("are merged as before the restart, also where a layer is broken on the disk", async ({
    expect,
  }) => {
    const files = {
      "/zones/all.yaml": everyZone("{ settings: { enabled: true } }"),
      "/zones/shop.yaml": `zones: [{ match: { name: "shop.*" }, priority: 2, mode: observe }, { name: blog.example, layers: true, mode: observe }]\n`,
    };
    const known = { zones: [listed("shop.example")], unlisted: [] };
    const disk = memoryFiles(files);
    const running = new ZoneFileLoader({
      path: "/zones",
      files: disk.port,
      clock: new SimulatedClock(),
    });
    const first = await running.load(never);
    disk.write("/zones/shop.yaml", broken);
    const stale = await running.load(never);
    const restarted = new ZoneFileLoader({
      path: "/zones",
      files: memoryFiles(files).port,
      clock: new SimulatedClock(),
    });
    const restored = await restarted.restore(memoryFiles(files).port, never);
    expect(stale.stale).toEqual(["shop.yaml"]);
    for (const { documents, declaredHash } of [stale, restored]) {
      expect(declaredHash).toBe(first.declaredHash);
      expect(selectZones(documents, known).zones[0]?.content).toMatchObject({
        mode: "observe",
        settings: [{ name: "enabled", value: true }],
      });
    }
  });
});
