import * as fc from "fast-check";
import { describe, it } from "vitest";

import { declaredZones, touchedZones } from "../../src/audit/touched-zones.ts";
import { auditEntry, idOf, zoneWithId } from "../support/audit-entries.ts";
import { declared, deployment } from "../support/model.ts";
import { cases } from "../support/properties.ts";

const [shop, blog] = ["shop.example.com", "blog.example.com"] as const;
const [shopId, blogId, otherId, owasp, other] = [idOf(1), idOf(2), idOf(3), idOf(4), idOf(5)];
const rules = { managed_rules: declared([deployment("owasp", { ruleset: idOf(4) })]) };
const zones = declaredZones([zoneWithId(shop, 1, { rules }), zoneWithId(blog, 2)]);

/** Parts of a zone that hold nothing that zone files declare. */
const otherProducts = [
  "argo",
  "cache",
  "custom_certificates",
  "custom_hostnames",
  "dns_records",
  "dnssec",
  "email",
  "healthchecks",
  "keyless_certificates",
  "load_balancers",
  "logpush",
  "spectrum",
  "origin_tls_client_auth",
  "purge_cache",
  "ssl",
  "waiting_rooms",
  "workers",
];

describe("the zones that an entry touches", () => {
  it.for([
    {
      when: "its path is in a zone",
      entry: { path: `/zones/${shopId}/page_shield` },
      yields: [shop],
    },
    { when: "only its zone is known", entry: { zoneId: blogId }, yields: [blog] },
    { when: "only the zone's name is known", entry: { zoneName: blog }, yields: [blog] },
    {
      when: "zone and path agree",
      entry: { zoneId: shopId, path: `/zones/${shopId}/rulesets/${other}/rules/${owasp}` },
      yields: [shop],
    },
    {
      when: "it cannot be placed but names a zone",
      entry: { zoneId: shopId, path: "/internal/dashboard/graphql" },
      yields: [shop],
    },
    {
      when: "a part of a zone is not known",
      entry: { path: `/zones/${shopId}/a_new_product/settings` },
      yields: [shop],
    },
    {
      when: "another product of the zone was written",
      entry: { zoneId: shopId, path: `/zones/${shopId}/dns_records/${other}` },
      yields: [],
    },
    {
      when: "it names a zone that is not declared",
      entry: { zoneId: otherId, path: `/zones/${otherId}/page_shield` },
      yields: [],
    },
    {
      when: "a zone that is not declared deploys the same ruleset",
      entry: { zoneId: otherId, resourceId: owasp },
      yields: [],
    },
    {
      when: "a zone that is known by its name and not declared deploys the same ruleset",
      entry: { zoneName: "other.example.com", resourceId: owasp },
      yields: [],
    },
    {
      when: "a ruleset of the account was written",
      entry: { path: `/accounts/${other}/rulesets/${owasp}/rules/${other}` },
      yields: [shop],
    },
    {
      when: "a ruleset that no zone deploys was written",
      entry: { path: `/accounts/${other}/rulesets/${other}` },
      yields: [],
    },
    {
      when: "an account's own product was changed for a zone",
      entry: { zoneId: shopId, path: `/accounts/${other}/logpush/jobs` },
      yields: [shop],
    },
    {
      when: "a zone that is known by its path and not declared deploys the same ruleset",
      entry: { path: `/zones/${otherId}/rulesets/${owasp}`, resourceId: owasp },
      yields: [],
    },
    {
      when: "something else of an account has the id of a ruleset",
      entry: { path: `/accounts/${other}/lists/${owasp}` },
      yields: [],
    },
    {
      when: "a ruleset of something else than an account was written",
      entry: { path: `/organizations/${other}/rulesets/${owasp}` },
      yields: [],
    },
    {
      when: "the service moved a managed ruleset",
      entry: { resourceId: owasp },
      yields: [shop],
    },
    {
      when: "the service refused the request",
      entry: { zoneId: shopId, isRefused: true },
      yields: [],
    },
    { when: "it says nothing", entry: {}, yields: [] },
  ])("when $when: $yields", ({ entry, yields }, { expect }) => {
    expect(touchedZones(auditEntry(entry), zones)).toEqual(yields);
  });
  it("are all that deploy the ruleset of the account that was written", ({ expect }) => {
    const both = declaredZones([zoneWithId(shop, 1, { rules }), zoneWithId(blog, 2, { rules })]);
    const entry = auditEntry({ path: `/accounts/${other}/rulesets/${owasp}` });
    expect(touchedZones(entry, both)).toEqual([shop, blog]);
  });

  it.for(otherProducts)("are none where somebody changes only %s", (area, { expect }) => {
    const entry = auditEntry({ zoneId: shopId, path: `/zones/${shopId}/${area}/1` });
    expect(touchedZones(entry, zones)).toEqual([]);
  });

  it("always contain a declared zone that an entry of its policies or rules names", ({
    expect,
  }) => {
    const places = fc.constantFrom("/page_shield", "/page_shield/policies", "/rulesets", "");
    const named = fc.constantFrom([shop, shopId], [blog, blogId]);
    const ways = fc.constantFrom("id", "name", "path");
    fc.assert(
      fc.property(named, places, ways, fc.string(), ([name = "", id = ""], place, way, more) => {
        const entry = auditEntry({
          zoneId: way === "id" ? id : "",
          zoneName: way === "name" ? name : "",
          path: way === "path" ? `/zones/${id}${place}/${more}` : more,
        });
        expect(touchedZones(entry, zones)).toEqual([name]);
      }),
      cases(200),
    );
  });
});
