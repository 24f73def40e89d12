import { describe, it } from "vitest";

import { selectZones } from "../../src/desired/zones/select.ts";
import { type Zone, zoneId, zoneName } from "../../src/zone/zone.ts";
import { desiredBench } from "../support/desired.ts";

function zone(number: number, name: string, facts: Partial<Zone> = {}): Zone {
  const id = zoneId(String(number).padStart(32, "0"));
  const known = zoneName(name);
  if (id === undefined || known === undefined) throw new Error(`${name} is no zone`);
  return {
    id,
    name: known,
    accountId: "a".repeat(32),
    accountName: "Brand Ltd",
    status: "active",
    tier: "enterprise",
    ...facts,
  };
}

const shop = zone(1, "shop.example");
const uk = zone(2, "uk.brand.example");
const de = zone(3, "de.brand.example", { status: "pending", tier: "free" });

const on = "page_shield: { settings: { enabled: true } }";
const off = "page_shield: { settings: { enabled: false } }";
const owasp = "managed_rules: { rules: [{ key: owasp, deploy: owasp }] }";

describe("selecting zones", () => {
  it.for([
    {
      when: "a name is listed",
      entries: [`{ name: shop.example, ${on} }`],
      yields: ["shop.example"],
    },
    {
      when: "an id is listed",
      entries: [`{ id: "${shop.id}", ${on} }`],
      yields: ["shop.example"],
    },
    {
      when: "a pattern matches several",
      entries: [`{ match: { name: "*.brand.example" }, ${on} }`],
      yields: ["uk.brand.example", "de.brand.example"],
    },
    {
      when: "status and plan restrict it",
      entries: [`{ match: { name: "*", status: active, plan: enter* }, ${on} }`],
      yields: ["shop.example", "uk.brand.example"],
    },
    {
      when: "the account is given by its name",
      entries: [`{ match: { account: brand* }, ${on} }`],
      yields: ["shop.example", "uk.brand.example", "de.brand.example"],
    },
    {
      when: "the account is given by its id",
      entries: [`{ match: { account: "${"a".repeat(32)}", name: uk* }, ${on} }`],
      yields: ["uk.brand.example"],
    },
    {
      when: "one pattern of a list matches",
      entries: [`{ match: { name: [shop.*, uk.*], plan: [free, enterprise] }, ${on} }`],
      yields: ["shop.example", "uk.brand.example"],
    },
    {
      when: "some are excluded",
      entries: [`{ match: { account: brand*, not: { name: [shop.*, uk.*] } }, ${on} }`],
      yields: ["de.brand.example"],
    },
    {
      when: "only those are excluded that all of an exclusion matches",
      entries: [`{ match: { not: { name: "*.brand.example", status: pending } }, ${on} }`],
      yields: ["shop.example", "uk.brand.example"],
    },
    {
      when: "a zone is not listed",
      entries: [`{ name: shp.example, ${on} }`, `{ name: shop.example, ${on} }`],
      yields: ["shop.example"],
      says: [
        'ZONE_NOT_LISTED no token can read the zone shp.example; did you mean "shop.example"?',
      ],
    },
    {
      when: "a selector matches nothing",
      entries: [`{ match: { name: "*.nowhere.example" }, ${on} }`],
      yields: [],
      says: [
        "SELECTOR_UNUSED the selector matches no zone that a token can read; check its patterns; `*` matches any number of characters",
      ],
    },
    {
      when: "one zone is declared by name and by id",
      entries: [`{ name: shop.example, ${on} }`, `{ id: "${shop.id}", ${on} }`],
      yields: [],
      says: [
        `ZONE_TWICE the zone shop.example (${shop.id}) is also declared in a.yaml, line 2; keep one of the two; until then zonewarden does not manage the zone`,
      ],
    },
  ])("when $when", async ({ entries, yields, says = [] }, { expect }) => {
    const { zones, diagnostics } = await selected(entries);
    expect(zones.map(({ zone: found }) => found.name)).toEqual(yields);
    expect(diagnostics.map(({ code, message, remedy }) => `${code} ${message}; ${remedy}`)).toEqual(
      says,
    );
  });

  it("lets an explicit declaration replace all of a selector", async ({ expect }) => {
    const { zones } = await selected([
      `{ match: { name: "*" }, mode: observe, ${owasp} }`,
      `{ name: shop.example, ${on} }`,
    ]);
    const found = zones.find(({ zone: { name } }) => name === "shop.example");
    expect(found?.content).toMatchObject({ mode: "enforce", rules: {} });
  });

  it("uses the stricter of two modes and suspensions", async ({ expect }) => {
    const { zones } = await selected([
      `{ match: { name: uk* }, mode: observe, suspend: { reason: a, until: 2027-01-01 } }`,
      `{ match: { name: "*.brand.example" }, suspend: { reason: b, until: 2028-01-01 } }`,
    ]);
    expect(zones.find(({ zone: { name } }) => name === uk.name)?.content).toMatchObject({
      mode: "observe",
      suspension: { reason: "b" },
    });
  });
});

describe("zones of one name", () => {
  const active = zone(11, "twin.example");
  const pending = zone(12, "twin.example", { status: "pending", accountName: "Agency" });
  const moved = zone(13, "twin.example", { status: "moved", accountName: "" });
  const called = "zones are called twin.example";

  it.for([
    { when: "its name is declared", entries: [`{ name: twin.example, ${on} }`] },
    { when: "a selector matches all", entries: [`{ match: { name: twin* }, ${on} }`] },
    {
      when: "all are declared by their ids",
      entries: [active, pending].map(({ id }) => `{ id: "${id}", ${on} }`),
    },
  ])("resolve to the active one, with a warning, when $when", async ({ entries }, { expect }) => {
    for (const listed of [
      [active, pending],
      [pending, active],
    ]) {
      const { zones, diagnostics, leftAlone } = await selected(entries, listed);
      expect(zones.map((found) => found.zone.id)).toEqual([active.id]);
      expect(diagnostics.map(({ code }) => code)).toEqual(["ZONE_NAMESAKE"]);
      expect(diagnostics[0]?.message).toMatch(
        `2 ${called}, and zonewarden manages the active one: `,
      );
      expect(diagnostics[0]?.message).toMatch(`${pending.id} (pending, in Agency)`);
      expect(leftAlone.size).toBe(0);
    }
  });

  it.for([
    {
      when: "none is active",
      listed: [pending, moved],
      entries: [`{ name: twin.example, ${on} }`],
    },
    {
      when: "two are active",
      listed: [active, zone(14, "twin.example")],
      entries: [`{ match: { name: twin* }, ${on} }`],
    },
    {
      when: "none is active, and a selector also matches them",
      listed: [pending, moved],
      entries: [`{ match: { name: twin* }, ${off} }`, `{ name: twin.example, ${on} }`],
    },
  ])("are not managed when $when", async ({ listed, entries }, { expect }) => {
    const { zones, diagnostics, leftAlone } = await selected(entries, listed);
    expect(zones).toEqual([]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["ZONE_AMBIGUOUS"]);
    expect(diagnostics[0]?.message).toMatch(`2 ${called}, and not exactly one of them is active: `);
    expect([...leftAlone]).toEqual([[active.name, diagnostics[0]]]);
  });

  it.for([
    {
      when: "one is declared by its id, and a selector matches",
      entries: [`{ match: { name: twin* }, ${off} }`, `{ id: "${pending.id}", ${on} }`],
      yields: [pending],
    },
    {
      when: "a selector matches one",
      entries: [`{ match: { name: twin*, status: pending }, ${on} }`],
      yields: [pending],
    },
    { when: "none is declared", entries: [], yields: [] },
  ])("are distinguished when $when", async ({ entries, yields }, { expect }) => {
    const { zones, diagnostics } = await selected(
      [`{ name: shop.example, ${on} }`, ...entries],
      [shop, active, pending],
    );
    expect(zones.map((found) => found.zone)).toEqual([shop, ...yields]);
    expect(diagnostics).toEqual([]);
  });
});

async function selected(
  entries: readonly string[],
  listed: readonly Zone[] = [shop, uk, de],
): Promise<ReturnType<typeof selectZones>> {
  const text = `zones:\n${entries.map((entry) => `  - ${entry}\n`).join("")}`;
  const { documents, diagnostics } = await desiredBench({ "a.yaml": text }).load();
  if (diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics));
  return selectZones(documents, { zones: listed, unlisted: [] });
}
