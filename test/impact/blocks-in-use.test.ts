import { describe, it } from "vitest";

import { blocksInUse, canBlockMore } from "../../src/impact/blocks-in-use.ts";
import { cspImpact } from "../../src/impact/csp-impact.ts";
import type { SeenResource } from "../../src/zone/inventory-item.ts";
import type { PolicyBehavior } from "../../src/zone/resource.ts";
import type { Policy } from "../../src/zone/resource.ts";
import { connection, harmless, script, seenAt } from "../support/inventory.ts";
import { policy } from "../support/model.ts";

const dayMs = 86_400_000;

/** The holds, a day after the last report of the scripts. */
function holds(
  before: PolicyBehavior | undefined,
  after: Policy,
  resources: readonly SeenResource[],
  declared: readonly Policy[] = [after],
  freshMs: number = 7 * dayMs,
): readonly string[] {
  const judged = { key: `policy/${after.key}`, title: "", before, after };
  const impacts = cspImpact([judged], resources, { maliciousBelow: 50 });
  const limits = { now: new Date(Number(seenAt) + dayMs), freshMs };
  return blocksInUse(impacts, declared, limits).map(
    ({ reason: code, message }) => `${code} ${message}`,
  );
}

const enforced = policy("site", { action: "allow", value: "script-src 'self'" });
const cdn = script("https://cdn.example.net/lib.js");
const week = new Date(Number(seenAt) - 6 * dayMs);
const long = new Date(Number(seenAt) - 30 * dayMs);

it("refuses to block what is in use, with the list and the ways out", ({ expect }) => {
  expect(holds(undefined, enforced, [cdn])).toEqual([
    "blocks_in_use policy/site would block 1 script that was seen within 168 h (impact.fresh): https://cdn.example.net/lib.js on https://shop.example.com/; add their sources to its value, or to its acknowledge list if they may be blocked",
  ]);
});

it.for([
  { fresh: 7 * dayMs, says: "168 h" },
  { fresh: dayMs + 5_400_000, says: "1530 min" },
])("names the limit as it is configured: $says", ({ fresh, says }, { expect }) => {
  const [hold = ""] = holds(undefined, enforced, [cdn], [enforced], fresh);
  expect(hold).toContain(`was seen within ${says} (impact.fresh)`);
});

it("names all of a few, and their pages as far as they are known", ({ expect }) => {
  const few = Array.from({ length: 5 }, (_, index) =>
    script(`https://cdn.example.net/${index}.js`, { firstPageUrl: "" }),
  );
  const [only = ""] = holds(undefined, enforced, few);
  expect(only).toContain("/3.js, https://cdn.example.net/4.js; add");
});

it("names a few of many", ({ expect }) => {
  const many = Array.from({ length: 8 }, (_, index) =>
    script(`https://cdn.example.net/${index}.js`),
  );
  const [only = ""] = holds(undefined, enforced, many);
  expect(only).toContain("would block 8 scripts that were seen");
  expect(only).toContain("/4.js on https://shop.example.com/ and 3 more; add");
});

describe("nothing is held", () => {
  it.for<{
    when: string;
    before?: PolicyBehavior;
    declared?: Policy;
    resource?: SeenResource;
  }>([
    {
      when: "the policy lets it in",
      declared: policy("site", { action: "allow", value: "script-src *" }),
    },
    { when: "the policy only reports", declared: policy("site", { action: "log" }) },
    { when: "the policy is off", declared: policy("site", { action: "allow", enabled: false }) },
    { when: "it was blocked before", before: { ...enforced, value: "script-src 'none'" } },
    { when: "it is malicious", resource: { ...cdn, scores: { ...harmless, integrity: 2 } } },
    { when: "nobody saw it for long", resource: { ...cdn, lastSeenAt: long } },
    {
      when: "it is no script",
      declared: policy("site", { action: "allow", value: "default-src 'self'" }),
      resource: connection("https://api.example.net/"),
    },
    {
      when: "its host is acknowledged",
      declared: { ...enforced, acknowledge: ["cdn.example.net"] },
    },
    {
      when: "its host is acknowledged as it is loaded, without encryption",
      declared: { ...enforced, acknowledge: ["cdn.example.net"] },
      resource: script("http://cdn.example.net/lib.js", {
        firstPageUrl: "http://shop.example.com/",
      }),
    },
    {
      when: "its path is acknowledged",
      declared: { ...enforced, acknowledge: ["https://cdn.example.net/lib.js"] },
    },
  ])("when $when", ({ before, declared = enforced, resource = cdn }, { expect }) => {
    expect(holds(before, declared, [resource])).toEqual([]);
  });
});

it.for([
  { when: "a policy only reported before", before: { ...enforced, action: "log" }, refused: 1 },
  {
    when: "another source is acknowledged",
    declared: { ...enforced, acknowledge: ["a.example"] },
    refused: 1,
  },
  {
    when: "its host is acknowledged, but not as it is loaded on one of its pages",
    declared: { ...enforced, acknowledge: ["cdn.example.net"] },
    resource: script("http://cdn.example.net/lib.js", {
      pageUrls: ["http://shop.example.com/", "https://shop.example.com/"],
    }),
    refused: 1,
  },
  {
    when: "another host is acknowledged and nobody knows its pages",
    declared: { ...enforced, acknowledge: ["a.example"] },
    resource: { ...cdn, firstPageUrl: "" },
    refused: 1,
  },
  {
    when: "it was seen a week ago to the moment",
    resource: { ...cdn, lastSeenAt: week },
    refused: 1,
  },
  {
    when: "nobody knows when it was seen",
    resource: { ...cdn, lastSeenAt: undefined },
    refused: 1,
  },
])(
  "is refused where $when",
  ({ before, declared = enforced, resource = cdn, refused }, { expect }) => {
    expect(holds(before, declared, [resource])).toHaveLength(refused);
  },
);

it("takes acknowledged sources from the policy's own entry only", ({ expect }) => {
  const other = policy("other", { acknowledge: ["cdn.example.net"] });
  expect(holds(undefined, enforced, [cdn], [other])).toHaveLength(1);
  expect(holds(undefined, enforced, [cdn], [other, enforced])).toHaveLength(1);
});

it.for([
  { when: "it comes", before: undefined, after: enforced, may: true },
  {
    when: "it begins to block",
    before: { ...enforced, action: "log" },
    after: enforced,
    may: true,
  },
  { when: "its value changes", before: { ...enforced, value: "" }, after: enforced, may: true },
  {
    when: "it is switched on",
    before: { ...enforced, enabled: false },
    after: enforced,
    may: true,
  },
  {
    when: "its expression changes",
    before: { ...enforced, expression: "ssl" },
    after: enforced,
    may: true,
  },
  { when: "nothing differs", before: { ...enforced }, after: enforced, may: false },
  { when: "it only reports", before: undefined, after: policy("a"), may: false },
  { when: "it goes", before: enforced, after: undefined, may: false },
])("a policy can block more: $may, when $when", ({ before, after, may }, { expect }) => {
  expect(canBlockMore({ key: "policy/site", title: "", before, after })).toBe(may);
});
