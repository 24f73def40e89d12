import { describe, it } from "vitest";

import { systemClock } from "../../src/host/clock.ts";
import { codesOf, desiredBench, linesOf, zonesOf } from "../support/desired.ts";

const shop = "zones:\n  - name: shop.example\n    page_shield: { settings: { enabled: true } }\n";
const blog = "zones:\n  - name: blog.example\n    page_shield: { settings: { enabled: true } }\n";
const broken = "zones:\n  - name: [\n";
const using = (profile: string): string =>
  `zones:\n  - name: a.example\n    profiles: [${profile}]\n`;
const profile = (name: string, enabled: boolean): string =>
  `profiles:\n  ${name}: { page_shield: { settings: { enabled: ${enabled} } } }\n`;

/** The value of the setting `enabled` of each zone. */
function enabledIn(state: Awaited<ReturnType<ReturnType<typeof desiredBench>["load"]>>): unknown {
  return Object.fromEntries(
    state.documents.map(({ content }, index) => [
      zonesOf(state)[index],
      content.settings.find(({ name }) => name === "enabled")?.value,
    ]),
  );
}

describe("a broken file does not count as empty", () => {
  it("keeps its last good zones, while other files are updated", async ({ expect }) => {
    const { disk, load } = desiredBench({ "blog.yaml": blog, "shop.yaml": shop });
    await load();
    disk.write("/zones/shop.yaml", broken);
    disk.write("/zones/blog.yaml", blog.replace("true", "false"));
    const state = await load();
    expect(enabledIn(state)).toEqual({ "blog.example": false, "shop.example": true });
    expect(state.stale).toEqual(["shop.yaml"]);
    expect(codesOf(state)).toEqual(["3:1 YAML_SYNTAX"]);
  });

  it("has no zones if it never was good", async ({ expect }) => {
    const state = await desiredBench({ "blog.yaml": blog, "shop.yaml": broken }).load();
    expect(zonesOf(state)).toEqual(["blog.example"]);
  });

  it("is used again once it is fixed", async ({ expect }) => {
    const { disk, load } = desiredBench({ "shop.yaml": shop });
    await load();
    disk.write("/zones/shop.yaml", broken);
    await load();
    disk.write("/zones/shop.yaml", shop.replace("true", "false"));
    const state = await load();
    expect(enabledIn(state)).toEqual({ "shop.example": false });
    expect(state.stale).toEqual([]);
  });

  it.for([
    { when: "it is emptied", content: "" },
    { when: "it is truncated", content: shop.slice(0, 13) },
    { when: "it is not text any more", content: new Uint8Array([0xff, 0x00, 0x01]) },
  ])("keeps its zones when $when", async ({ content }, { expect }) => {
    const { disk, load } = desiredBench({ "shop.yaml": shop });
    await load();
    disk.write("/zones/shop.yaml", content);
    const state = await load();
    expect(enabledIn(state)).toEqual({ "shop.example": true });
    expect(state.stale).toEqual(["shop.yaml"]);
  });

  it("keeps its zones when it becomes unreadable", async ({ expect }) => {
    const { disk, load } = desiredBench({ "blog.yaml": blog, "team/shop.yaml": shop });
    await load();
    disk.make("/zones/blog.yaml", "unreadable");
    disk.make("/zones/team", "unreadable");
    const state = await load();
    expect(zonesOf(state)).toEqual(["blog.example", "shop.example"]);
    expect(linesOf(state)).toEqual([
      "blog.yaml:1:1: error: the file cannot be read: permission denied; let the program read it, or delete it [FILE_UNREADABLE]",
      "team/:1:1: error: the directory cannot be read: permission denied; let the program read it, or delete it [DIRECTORY_UNREADABLE]",
    ]);
  });

  it("drops its zones when it is deleted", async ({ expect }) => {
    const { disk, load } = desiredBench({ "blog.yaml": blog, "shop.yaml": shop });
    await load();
    disk.delete("/zones/shop.yaml");
    const state = await load();
    expect(zonesOf(state)).toEqual(["blog.example"]);
    expect(state.diagnostics).toEqual([]);
  });

  it("lets a zone move to a good file", async ({ expect }) => {
    const { disk, load } = desiredBench({ "a.yaml": shop });
    await load();
    disk.write("/zones/a.yaml", broken);
    disk.write("/zones/b.yaml", shop.replace("true", "false"));
    const state = await load();
    expect(enabledIn(state)).toEqual({ "shop.example": false });
    expect(state.documents).toHaveLength(1);
  });
});

describe("a profile of another file", () => {
  it("keeps its last good version while its file is broken", async ({ expect }) => {
    const { disk, load } = desiredBench({
      "p.yaml": profile("base", true),
      "z.yaml": using("base"),
    });
    await load();
    disk.write("/zones/p.yaml", broken);
    const state = await load();
    expect(enabledIn(state)).toEqual({ "a.example": true });
    expect(state.stale).toEqual(["p.yaml"]);
  });

  it("keeps the zones that use it unchanged when it is deleted", async ({ expect }) => {
    const { disk, load } = desiredBench({
      "p.yaml": profile("base", true),
      "z.yaml": using("base"),
    });
    await load();
    disk.write("/zones/p.yaml", profile("other", true));
    const state = await load();
    expect(enabledIn(state)).toEqual({ "a.example": true });
    expect(codesOf(state)).toEqual(["2:3 UNUSED_PROFILE", "3:16 UNKNOWN_PROFILE"]);
    expect(state.stale).toEqual(["z.yaml"]);
  });

  it("changes all zones that use it when it changes", async ({ expect }) => {
    const { disk, load } = desiredBench({
      "p.yaml": profile("base", true),
      "z.yaml": using("base"),
    });
    await load();
    disk.write("/zones/p.yaml", profile("base", false));
    expect(enabledIn(await load())).toEqual({ "a.example": false });
  });

  it("is not used when two files define it", async ({ expect }) => {
    const { disk, load } = desiredBench({
      "p.yaml": profile("base", true),
      "z.yaml": using("base"),
    });
    await load();
    disk.write("/zones/a.yaml", profile("base", false));
    const state = await load();
    expect(enabledIn(state)).toEqual({ "a.example": true });
    expect(linesOf(state)).toEqual([
      'a.yaml:2:3: error: the profile "base" is also defined in p.yaml, line 2; rename or delete one of the two [PROFILE_TWICE]',
      'p.yaml:2:3: error: the profile "base" is also defined in a.yaml, line 2; rename or delete one of the two [PROFILE_TWICE]',
    ]);
  });

  it("may be in a broken file, and the remedy names that file", async ({ expect }) => {
    const state = await desiredBench({ "p.yaml": broken, "z.yaml": using("base") }).load();
    expect(linesOf(state)[1]).toContain("p.yaml may define it, but has errors itself");
  });

  it("extends others, each of them once, and never in a cycle", async ({ expect }) => {
    const text = `profiles:
  a: { page_shield: { settings: { enabled: true, use_connection_url_path: true } } }
  b: { extends: [a], page_shield: { settings: { enabled: false } } }
  c: { extends: [a] }
  d: { extends: [e] }
  e: { extends: [d] }
zones:
  - { name: a.example, profiles: [b, c] }
`;
    const state = await desiredBench({ "a.yaml": text }).load();
    expect(codesOf(state).filter((code) => code.endsWith("CYCLE"))).toEqual(["6:18 PROFILE_CYCLE"]);
    const sound = await desiredBench({
      "a.yaml": text.replace("extends: [d]", "mode: enforce"),
    }).load();
    // `c` does not restore what `b` changed, although both extend `a`.
    expect(enabledIn(sound)).toEqual({ "a.example": false });
  });
});

describe("a zone that two files declare", () => {
  it("keeps its last state, and both places are reported", async ({ expect }) => {
    const { disk, load } = desiredBench({ "b.yaml": shop });
    await load();
    disk.write("/zones/a.yaml", shop.replace("true", "false"));
    const state = await load();
    expect(enabledIn(state)).toEqual({ "shop.example": true });
    expect(codesOf(state)).toEqual(["2:5 ZONE_TWICE", "2:5 ZONE_TWICE"]);
  });
});

describe("a directory without files does not count as empty", () => {
  it("is reported if it does not exist", async ({ expect }) => {
    const { load } = desiredBench({});
    const state = await load();
    expect(linesOf(state)).toEqual([
      ".:1:1: error: the zone files cannot be read: it does not exist; check the path (`desired.path`, unless given on the command line); a missing directory is not treated as empty [DIRECTORY_UNREADABLE]",
    ]);
  });

  it("is reported differently if it is empty", async ({ expect }) => {
    const { disk, load } = desiredBench({});
    disk.make("/zones", "directory");
    expect(codesOf(await load())).toEqual(["1:1 DIRECTORY_EMPTY"]);
  });

  it.for([
    { when: "it vanishes", remake: false },
    { when: "it is emptied", remake: true },
  ])(
    "keeps the last state when $when, and loads again when it returns",
    async ({ remake }, { expect }) => {
      const { disk, load } = desiredBench({ "shop.yaml": shop });
      const before = await load();
      disk.delete("/zones");
      if (remake) disk.make("/zones", "directory");
      const away = await load();
      expect(away.documents).toEqual(before.documents);
      expect(away.stale).toEqual(["shop.yaml"]);
      expect(away.revision).toBe(before.revision);
      disk.write("/zones/shop.yaml", shop.replace("true", "false"));
      const back = await load();
      expect(enabledIn(back)).toEqual({ "shop.example": false });
      expect(back.diagnostics).toEqual([]);
    },
  );
});

describe("a set of files that changes while it is read", () => {
  it("is read again until it is stable", async ({ expect }) => {
    const { disk, load } = desiredBench({ "a.yaml": shop, "b.yaml": blog });
    let changes = 0;
    disk.beforeRead = (place) => {
      if (place === "/zones/b.yaml" && changes++ < 3) {
        disk.write("/zones/a.yaml", shop.replace("true", "false"));
      }
    };
    expect(enabledIn(await load())).toEqual({ "shop.example": false, "blog.example": true });
  });

  it("never mixes two checkouts behind a link that is swapped", async ({ expect }) => {
    const { disk, load } = desiredBench({});
    for (const [version, enabled] of [
      ["one", "true"],
      ["two", "false"],
    ] as const) {
      disk.write(`/git/${version}/a.yaml`, shop.replace("true", enabled));
      disk.write(`/git/${version}/b.yaml`, blog.replace("true", enabled));
    }
    disk.link("/zones", "/git/one");
    disk.beforeRead = (place) => {
      if (place === "/git/one/b.yaml") disk.link("/zones", "/git/two");
    };
    expect(enabledIn(await load())).toEqual({ "shop.example": false, "blog.example": false });
  });

  it("is not used if it never becomes stable", async ({ expect }) => {
    const { disk, load } = desiredBench({ "a.yaml": shop });
    await load();
    let turn = 0;
    disk.beforeRead = () => disk.write("/zones/a.yaml", `${blog}# ${(turn += 1)}\n`);
    const state = await load();
    expect(codesOf(state)).toEqual(["1:1 DIRECTORY_UNSETTLED"]);
    expect(zonesOf(state)).toEqual(["shop.example"]);
  });
});

describe("loading again", () => {
  it("parses only changed files, and keeps the objects of the others", async ({ expect }) => {
    const { disk, load } = desiredBench({ "a.yaml": shop, "b.yaml": blog });
    const first = await load();
    disk.write("/zones/b.yaml", `${blog}# a comment\n`);
    const second = await load();
    expect(second.documents[0]).toBe(first.documents[0]);
    expect(second.documents[1]?.content).toEqual(first.documents[1]?.content);
    expect(second.hash).not.toBe(first.hash);
  });

  it("returns the same state if nothing changed, also after the directory was missing", async ({
    expect,
  }) => {
    const { disk, load } = desiredBench({ "a.yaml": shop, "b.yaml": blog });
    const first = await load();
    expect(await load()).toBe(first);
    disk.delete("/zones");
    expect(codesOf(await load())).toEqual(["1:1 DIRECTORY_UNREADABLE"]);
    disk.write("/zones/a.yaml", shop);
    disk.write("/zones/b.yaml", blog);
    expect(await load()).toBe(first);
    disk.delete("/zones/b.yaml");
    expect(zonesOf(await load())).toEqual(["shop.example"]);
  });

  it("has the same hash for the same files in another directory", async ({ expect }) => {
    const one = await desiredBench({ "a.yaml": shop, "b.yaml": blog }).load();
    const two = await desiredBench({ "b.yaml": blog, "a.yaml": shop }).load();
    expect(two.hash).toBe(one.hash);
    expect(one.revision).toMatch(/^sha256-[0-9a-f]{64}$/);
  });

  it("rejects when it is aborted", async ({ expect }) => {
    const { disk } = desiredBench({ "a.yaml": shop });
    const { ZoneFileLoader } = await import("../../src/desired/load/zone-file-loader.ts");
    const desired = new ZoneFileLoader({ path: "/zones", files: disk.port, clock: systemClock });
    await expect(desired.load(AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
  });
});
