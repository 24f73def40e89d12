import { describe, it } from "vitest";

import { codesOf, desiredBench, linesOf, zonesOf } from "../support/desired.ts";
import type { MemoryDisk } from "../support/memory-files.ts";

function zone(name: string): string {
  return `zones: [{ name: ${name}, page_shield: { settings: { enabled: true } } }]\n`;
}

describe.for(["team", "team.yaml"])(
  "a directory below, called %s, that cannot be found",
  (name) => {
    it.for([
      {
        when: "the link to it is dangling for a moment",
        lose: (disk: MemoryDisk) => disk.delete("/zones/.v1"),
        says: "the directory cannot be read: it does not exist; fix the link, or delete it [DIRECTORY_UNREADABLE]",
      },
      {
        when: "the link to it forms a loop",
        lose: (disk: MemoryDisk) => disk.link(`/zones/${name}`, name),
        says: "the directory cannot be read: its links form a loop; fix the link, or delete it [DIRECTORY_UNREADABLE]",
      },
      {
        when: "the link to it leads outside",
        lose: (disk: MemoryDisk) => disk.link(`/zones/${name}`, "/elsewhere"),
        says: "the link leads out of the directory; replace the link with its target [FILE_OUTSIDE]",
      },
    ])("keeps its zones when $when", async ({ lose, says }, { expect }) => {
      const { disk, load } = desiredBench({
        "blog.yaml": zone("blog.example"),
        ".v1/shop.yaml": zone("shop.example"),
      });
      disk.write("/elsewhere/other.yaml", zone("other.example"));
      disk.link(`/zones/${name}`, ".v1");
      expect(zonesOf(await load())).toEqual(["blog.example", "shop.example"]);
      lose(disk);
      for (let round = 0; round < 2; round += 1) {
        const state = await load();
        expect(zonesOf(state)).toEqual(["blog.example", "shop.example"]);
        expect(state.stale).toEqual([`${name}/`, `${name}/shop.yaml`]);
        expect(linesOf(state)).toEqual([`${name}/:1:1: error: ${says}`]);
      }
      disk.link(`/zones/${name}`, ".v2");
      disk.write("/zones/.v2/shop.yaml", zone("new.example"));
      const mended = await load();
      expect(zonesOf(mended)).toEqual(["blog.example", "new.example"]);
      expect(mended.diagnostics).toEqual([]);
    });
  },
);

describe("a subdirectory that never was there", () => {
  it("is not reported for a link that never led to one", async ({ expect }) => {
    const { disk, load } = desiredBench({ "blog.yaml": zone("blog.example") });
    disk.link("/zones/README", "../docs/README");
    for (let round = 0; round < 2; round += 1) expect((await load()).diagnostics).toEqual([]);
    disk.link("/zones/team", "team");
    expect(codesOf(await load())).toEqual(["1:1 DIRECTORY_UNREADABLE"]);
  });
});
