import { describe, it } from "vitest";

import type { Author } from "../../src/plan/cause/author.ts";
import { fleetOf } from "../support/fleets.ts";
import { fleetPage, wordsOf } from "../support/pages.ts";
import { at, change, declared, report } from "../support/reports.ts";

const [shop, blog, docs] = ["shop.example.com", "blog.example.com", "docs.example.com"] as const;

/** Drift in a zone, and who made it. */
interface Scene {
  readonly zone: string;
  readonly key: "policy/a" | "policy/b" | "setting/enabled";
  readonly by: readonly (readonly [name: string, minute: number, isCertain: boolean])[];
}

function author([email, minute, isCertain]: Scene["by"][number]): Author {
  const shown = { kind: "person", name: email, context: "dash" } as const;
  const request = { method: "PUT", path: "", ray: "", fields: ["enabled"] };
  return { ...shown, ...request, at: at(minute), isCertain };
}

/** Who is listed on the page of the fleet after runs that found the drift, in this order. */
function itemsOf(scenes: readonly Scene[]): readonly string[] {
  const fleet = fleetOf(...[shop, blog, docs].map((name) => declared(name)));
  for (const [minute, { zone, key, by }] of scenes.entries()) {
    const changes = [{ ...change(key), authors: by.map(author) }];
    fleet.recordZone(report(zone, 10 + minute, { result: "applied", cause: "drift", changes }));
  }
  const [panel = ""] = /"authors-title".*?<\/section>/s.exec(fleetPage(fleet)) ?? [];
  return panel.split("<li>").slice(1).map(wordsOf);
}

const scenes: readonly Scene[] = [
  { zone: shop, key: "policy/a", by: [["alice", 1, true]] },
  {
    zone: shop,
    key: "policy/b",
    by: [
      ["alice", 6, false],
      ["bob", 4, false],
    ],
  },
  { zone: blog, key: "setting/enabled", by: [["bob", 2, false]] },
  { zone: docs, key: "policy/a", by: [["bob", 3, false]] },
  { zone: docs, key: "policy/b", by: [["carol", 5, true]] },
  { zone: blog, key: "policy/a", by: [["alice", 0, false]] },
];

const expected = [
  line("bob", "26 min", "3 zones, possibly"),
  line("alice", "24 min", "2 zones"),
  line("carol", "25 min", docs),
];

function line(name: string, ago: string, where: string): RegExp {
  return new RegExp(`^${name} in the dashboard .*${ago} ago ${where}$`);
}

describe("the list of those who change zones by hand", () => {
  it.for([
    { when: "as they came", order: [0, 1, 2, 3, 4, 5] },
    { when: "late", order: [5, 4, 3, 2, 1, 0] },
    { when: "shuffled", order: [3, 1, 5, 0, 2, 4] },
    { when: "late, and another time shuffled", order: [1, 0, 5, 2, 4, 3] },
  ])(
    "says who is only possible, wherever one line is certain: lines $when",
    ({ order }, { expect }) => {
      const items = itemsOf(order.flatMap((index) => scenes[index] ?? []));
      expect(items).toHaveLength(expected.length);
      for (const [index, item] of items.entries()) expect(item).toMatch(expected[index] ?? /^$/);
    },
  );

  it("takes somebody for possible where the certain line is lost", ({ expect }) => {
    const [, ...rest] = scenes;
    const alice = itemsOf(rest).find((item) => item.startsWith("alice"));
    expect(alice).toMatch(/2 zones, possibly$/);
    const withoutPossible = itemsOf(scenes.filter(({ by }) => by.every(([, , isSure]) => isSure)));
    expect(withoutPossible.map((item) => item.split(" ")[0])).toEqual(["carol", "alice"]);
    expect(withoutPossible.join(" ")).not.toContain("possibly");
  });

  it("names those who did the same in the order of their names", ({ expect }) => {
    const by = [
      ["zoe", 4, true],
      ["adam", 4, true],
    ] as const;
    const items = itemsOf([{ zone: shop, key: "policy/a", by }]);
    expect(items.map((item) => item.split(" ")[0])).toEqual(["adam", "zoe"]);
  });

  it("names those whose drift is still there", ({ expect }) => {
    const fleet = fleetOf(declared(shop));
    const changes = [{ ...change("policy/a"), authors: [author(["bob", 4, true])] }];
    fleet.recordZone(report(shop, 10, { result: "planned", cause: "drift", changes }));
    expect(wordsOf(fleetPage(fleet))).toContain(
      `Who changes zones by hand bob in the dashboard 26 min ago ${shop}`,
    );
  });

  it("is nothing where nobody is known", ({ expect }) => {
    expect(itemsOf([{ zone: shop, key: "policy/a", by: [] }])).toEqual([]);
  });
});
