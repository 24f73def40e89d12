import { readFileSync } from "node:fs";
import path from "node:path";

import { describe, it } from "vitest";

import { selectZones } from "../../src/desired/zones/select.ts";
import type { Zone } from "../../src/zone/zone.ts";
import { linesOf, loadText } from "../support/desired.ts";
import { numbered } from "../support/revision-files.ts";

const text = readFileSync(path.join(import.meta.dirname, "company.yaml"), "utf8");

const brands = Array.from(
  { length: 40 },
  (_, index) => `brand${String(index + 1).padStart(2, "0")}`,
);

const zones = [
  ...[...brands, "pay", "tickets", "legacy-one"].map((name) => [`${name}.shop.example`, "Brands"]),
  ...["www.holding.example", "press.holding.example", "archive.example"].map((name) => [
    name,
    "Holding",
  ]),
].map(([name = "", accountName = ""], index): Zone => ({ ...numbered(name, index), accountName }));

describe("a company with 40 brands, three teams and two accounts", async () => {
  const files = await loadText(text);
  const selection = selectZones(files.documents, { zones, unlisted: [] });
  const found = new Map(selection.zones.map((each) => [each.zone.name as string, each]));

  it("fits in 200 lines, without a diagnostic", ({ expect }) => {
    expect(text.split("\n").length).toBeLessThan(200);
    expect([...linesOf(files), ...selection.diagnostics]).toEqual([]);
    expect(found.size).toBe(zones.length);
  });

  it.for([
    {
      name: "brand01.shop.example",
      team: "shops",
      mode: "enforce",
      policy: "log",
      level: 1,
      custom: undefined,
    },
    {
      name: "pay.shop.example",
      team: "payments",
      mode: "enforce",
      policy: "allow",
      level: 2,
      custom: undefined,
    },
    {
      name: "legacy-one.shop.example",
      team: undefined,
      mode: "observe",
      policy: undefined,
      level: 1,
      custom: undefined,
    },
    {
      name: "press.holding.example",
      team: "corporate",
      mode: "enforce",
      policy: undefined,
      level: 1,
      custom: 1,
    },
    {
      name: "archive.example",
      team: undefined,
      mode: "observe",
      policy: undefined,
      level: undefined,
      custom: undefined,
    },
  ])(
    "gives $name what is meant for it",
    ({ name, team, mode, policy, level, custom }, { expect }) => {
      const { content, labels = {} } = found.get(name) ?? { content: undefined };
      expect(labels["team"]).toBe(team);
      expect(content?.mode).toBe(mode);
      expect(content?.policies?.items[0]?.action).toBe(policy);
      expect(content?.rules.custom_rules?.items.length).toBe(custom);
      const tuned = content?.rules.managed_rules?.items.flatMap((rule) =>
        "tuning" in rule ? (rule.tuning.paranoiaLevel ?? []) : [],
      );
      expect(tuned?.[0]).toBe(level);
    },
  );

  it("gives each brand its own host, and an outlier its scripts", ({ expect }) => {
    const policyOf = (name: string) =>
      found.get(`${name}.shop.example`)?.content.policies?.items[0];
    expect(policyOf("brand40")?.expression).toContain('"www.brand40.shop.example"');
    expect(policyOf("tickets")?.expression).toContain('"/order"');
    expect(policyOf("brand07")?.value).toBe(
      "connect-src 'self' api.brand07.shop.example; script-src 'self' cdn.example.net widgets.example.org",
    );
    expect(found.get("brand13.shop.example")?.content.suspension?.reason).toContain("platform");
  });
});
