import { describe, it } from "vitest";

import { desiredBench, zonesOf } from "../support/desired.ts";

const shop = "zones: [{ name: shop.example }]\n";
const blog = "zones: [{ name: blog.example }]\n";
const broken = "zones:\n  - name: [\n";

describe("a set of files is usable", () => {
  const profiles = "profiles: { base: { mode: observe } }\n";

  it.for([
    { files: { "shop.yaml": shop }, usable: true },
    { files: { "shop.yaml": "zones: []\n" }, usable: true },
    { files: { "blog.yaml": blog, "shop.yaml": broken }, usable: true },
    { files: { "blog.yaml": broken, "shop.yaml": broken }, usable: false },
    { files: { "base.yaml": profiles, "shop.yaml": broken }, usable: false },
    { files: { "none.yaml": "zones: []\n", "shop.yaml": broken }, usable: false },
    { files: {}, usable: false },
  ])("at the start: $usable, of $files", async ({ files, usable }, { expect }) => {
    expect((await desiredBench(files).load()).usable).toBe(usable);
  });

  it.for([
    { when: "one file breaks", change: { "shop.yaml": broken }, usable: true },
    { when: "all break", change: { "blog.yaml": broken, "shop.yaml": broken }, usable: false },
  ])("later, when $when: $usable", async ({ change, usable }, { expect }) => {
    const { disk, load } = desiredBench({ "blog.yaml": blog, "shop.yaml": shop });
    await load();
    for (const [file, text] of Object.entries(change)) disk.write(`/zones/${file}`, text);
    const state = await load();
    expect(state.usable).toBe(usable);
    expect(zonesOf(state)).toEqual(["blog.example", "shop.example"]);
    disk.delete("/zones");
    expect((await load()).usable).toBe(false);
  });
});
