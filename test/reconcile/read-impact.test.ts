import { describe, it } from "vitest";

import { plan } from "../../src/plan/plan.ts";
import {
  type ImpactSource,
  readZoneImpact,
  type ReadImpact,
} from "../../src/reconcile/inventory/read-impact.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import { managedRulesets } from "../../src/zone/managed-ruleset.ts";
import { script } from "../support/inventory.ts";
import {
  absent,
  declared,
  desiredZone,
  deployment,
  liveZone,
  owner,
  policy,
  shopZone,
} from "../support/model.ts";
import { ServiceFault } from "../support/world.ts";

const policies = declared([policy("site", { action: "allow" })]);
const rules = { managed_rules: declared([deployment("owasp")]) };

const ruleset = {
  id: managedRulesets.owasp,
  name: "OWASP",
  description: "",
  kind: "managed",
  phase: "http_request_firewall_managed",
  version: "87",
  lastUpdated: "",
  rules: [],
} as const;

/** The failure of each request. */
interface Faults {
  readonly resources?: Error;
  readonly managed?: Error;
}

/** Reads the impact of a declaration in an empty zone, with the requests that it took. */
async function impactOf(
  content: Partial<ZoneContent>,
  faults: Faults,
  signal: AbortSignal,
): Promise<ReadImpact & { readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const source: ImpactSource = {
    readResources: async (zone, given) => {
      if (zone === shopZone && given === signal) asked.push("resources");
      if (faults.resources !== undefined) throw faults.resources;
      return Promise.resolve([script("https://cdn.example.net/a.js")]);
    },
    readManaged: async (zone, id, given) => {
      if (zone === shopZone && given === signal) asked.push(id === ruleset.id ? "owasp" : id);
      if (faults.managed !== undefined) throw faults.managed;
      return Promise.resolve(ruleset);
    },
  };
  const desired = desiredZone(content);
  const live = liveZone({ policies: [], entrypoints: { managed_rules: absent } });
  const judged = { content: desired.content, live, plan: plan(desired, live, owner) };
  return { ...(await readZoneImpact(judged, 50, source, signal)), asked };
}

describe("the impact of a plan", () => {
  it.for([
    { when: "policies are declared", content: { policies }, asks: ["resources"] },
    { when: "rules are declared", content: { rules }, asks: ["owasp"] },
    { when: "both are", content: { policies, rules }, asks: ["resources", "owasp"] },
    { when: "neither is", content: {}, asks: [] },
  ])("reads what it needs where $when", async ({ content, asks }, { expect, signal }) => {
    const { asked, impact, transient } = await impactOf(content, {}, signal);
    expect(asked).toEqual(asks);
    expect(impact.notes).toEqual([]);
    expect(transient).toBe(undefined);
  });
});

describe("a source that cannot be read", () => {
  const [refused, busy, slow] = [
    new ServiceFault("API_FORBIDDEN", false),
    new ServiceFault("API_SERVER", true),
    new ServiceFault("API_TIMEOUT", true),
  ];
  const noResources = "what was detected could not be read: API_SERVER of the world";

  it("is noted and does not affect the others", async ({ expect, signal }) => {
    const { impact } = await impactOf({ policies, rules }, { resources: busy }, signal);
    expect(impact.notes).toEqual([noResources]);
    expect(impact.policies).toEqual([]);
    expect(impact.deployments.map(({ key }) => key)).toEqual(["managed_rule/owasp"]);
  });

  it.for([
    {
      when: "its failure is transient",
      faults: { resources: busy, managed: refused },
      passes: busy,
    },
    { when: "both are: the first", faults: { resources: busy, managed: slow }, passes: busy },
    { when: "that of another is", faults: { resources: refused, managed: busy }, passes: busy },
    { when: "neither is", faults: { resources: refused, managed: refused }, passes: undefined },
  ])("is worth a retry where $when", async ({ faults, passes }, { expect, signal }) => {
    const { impact, transient } = await impactOf({ policies, rules }, faults, signal);
    expect(transient).toBe(passes);
    expect(impact.notes).toHaveLength(2);
  });

  it("because of an internal error rejects", async ({ expect, signal }) => {
    const fault = new Error("a fault of our own");
    await expect(impactOf({ policies }, { resources: fault }, signal)).rejects.toBe(fault);
  });
});
