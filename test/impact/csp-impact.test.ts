import { describe, it } from "vitest";

import { type PolicyImpact, cspImpact } from "../../src/impact/csp-impact.ts";
import { effectOfPolicy } from "../../src/plan/policies/policy-effect.ts";
import type { SeenResource } from "../../src/zone/inventory-item.ts";
import type { PolicyBehavior } from "../../src/zone/resource.ts";
import { connection, harmless, script } from "../support/inventory.ts";

/** An enforced policy of the whole shop. */
function terms(value: string, changes: Partial<PolicyBehavior> = {}): PolicyBehavior {
  const expression = 'http.host eq "shop.example.com"';
  return { action: "allow", expression, enabled: true, value, ...changes };
}

function impact(
  before: PolicyBehavior | undefined,
  after: PolicyBehavior | undefined,
  resources: readonly SeenResource[],
): PolicyImpact {
  const policy = { key: "policy/checkout", title: "Scripts of the checkout", before, after };
  const [found] = cspImpact([policy], resources, { maliciousBelow: 50 });
  if (found === undefined) throw new Error("a policy has an impact");
  return found;
}

function urls(sightings: readonly { readonly resource: SeenResource }[]): readonly string[] {
  return sightings.map(({ resource }) => resource.url);
}

const own = script("https://shop.example.com/app.js");
const cdn = script("https://cdn.example.net/lib.js");
const tracker = script("https://tracker.example/t.js");
const miner = script("https://miner.example/m.js", { scores: { ...harmless, integrity: 3 } });
const seen = [own, cdn, tracker, miner];

describe("a policy that is created", () => {
  it("blocks what its sources do not match", ({ expect }) => {
    const found = impact(undefined, terms("script-src 'self' cdn.example.net"), seen);
    expect(found).toMatchObject({ force: "blocks", seen: 4, newlyAllowed: [], elsewhere: 0 });
    expect(urls(found.blocked)).toEqual([tracker.url, miner.url]);
    expect(found.blocked.map(({ already }) => already)).toEqual([false, false]);
  });

  it("reports which of them are malicious, and their pages", ({ expect }) => {
    const { blocked } = impact(undefined, terms("script-src 'self' cdn.example.net"), seen);
    expect(blocked.map(({ malicious }) => malicious)).toEqual([[], ["integrity score 3"]]);
    expect(blocked.map(({ pages }) => pages)).toEqual([
      ["https://shop.example.com/"],
      ["https://shop.example.com/"],
    ]);
  });

  it("reports malicious resources that it allows", ({ expect }) => {
    const { allowedMalicious } = impact(undefined, terms("script-src *"), seen);
    expect(urls(allowedMalicious)).toEqual([miner.url]);
  });

  it("reports unused sources with the effective directive", ({ expect }) => {
    const value = "script-src 'self' cdn.example.net old.example; connect-src 'self'; img-src x.y";
    const { unseen } = impact(undefined, terms(value), seen);
    expect(unseen.map(({ directive, source }) => `${directive} ${source.text}`)).toEqual([
      "script-src old.example",
      "connect-src 'self'",
    ]);
  });

  it("reports unused sources where it only reports itself", ({ expect }) => {
    const logged = terms("script-src 'self' old.example", { action: "log" });
    const { unseen } = impact(undefined, logged, seen);
    expect(unseen.map(({ source }) => source.text)).toEqual(["old.example"]);
  });

  it("takes a source for used that a script needs, all of whose pages are known", ({ expect }) => {
    const known = { ...cdn, pageUrls: [cdn.firstPageUrl] };
    expect(impact(undefined, terms("script-src cdn.example.net"), [known]).unseen).toEqual([]);
  });

  it("reports no unused source that never matches a URL", ({ expect }) => {
    const value = "script-src 'self' data: 'unsafe-inline' 'nonce-abc'; connect-src *";
    const { unseen } = impact(undefined, terms(value), [own]);
    expect(unseen.map(({ directive, source }) => `${directive} ${source.text}`)).toEqual([
      "script-src data:",
      "connect-src *",
    ]);
  });

  it("allows everything without an effective directive", ({ expect }) => {
    const feed = connection("https://api.example/feed");
    expect(impact(undefined, terms("script-src 'none'"), [feed]).blocked).toEqual([]);
    expect(urls(impact(undefined, terms("default-src 'self'"), [feed]).blocked)).toEqual([
      feed.url,
    ]);
  });
});

describe("a policy that changes", () => {
  it("allows what it blocked before", ({ expect }) => {
    const before = terms("script-src 'self'");
    const found = impact(before, terms("script-src 'self' cdn.example.net"), seen);
    expect(urls(found.newlyAllowed)).toEqual([cdn.url]);
    expect(found.blocked.every(({ already }) => already)).toBe(true);
  });

  it("newly blocks what it allowed before", ({ expect }) => {
    const found = impact(terms("script-src 'self' cdn.example.net"), terms("script-src 'self'"), [
      cdn,
      tracker,
    ]);
    expect(found.blocked).toMatchObject([
      { resource: cdn, already: false },
      { resource: tracker, already: true },
    ]);
  });

  it("allows everything when it is deleted", ({ expect }) => {
    const found = impact(terms("script-src 'self'"), undefined, seen);
    expect(urls(found.newlyAllowed)).toEqual([cdn.url, tracker.url, miner.url]);
    expect(found).toMatchObject({ force: "none", blocked: [], allowedMalicious: [] });
  });

  it("evaluates a reporting policy like a blocking one", ({ expect }) => {
    const logged = terms("script-src 'self'", { action: "log" });
    expect(impact(undefined, logged, [own, cdn])).toMatchObject({
      force: "reports",
      blocked: [{ resource: cdn, already: false }],
    });
  });

  it("is unclear about a policy with an unknown action, as the plan is", ({ expect }) => {
    const strange = terms("script-src 'self' old.example", { action: "challenge" });
    const elsewhere = terms("script-src 'self'", {
      action: "challenge",
      expression: 'http.host eq "other.example"',
    });
    const unclear = [own, cdn].map((resource) => ({
      resource,
      reason: "its action is unknown",
    }));
    const nothingSaid = { force: "unknown", blocked: [], allowedMalicious: [], unseen: [] };
    expect(impact(undefined, strange, [own, cdn])).toMatchObject({ ...nothingSaid, unclear });
    expect(impact(undefined, elsewhere, [own, cdn])).toMatchObject({ ...nothingSaid, unclear: [] });
    expect(effectOfPolicy(undefined, strange)).toMatchObject({
      direction: "unclear",
      mayBreak: true,
    });
    const known = impact(strange, terms("script-src 'self'"), [cdn]);
    expect(known.blocked).toMatchObject([{ already: false }]);
  });

  it.for([
    { changes: { enabled: false } },
    { changes: { action: "add_reporting_directives" } },
    { changes: { expression: 'http.host eq "other.example"' } },
  ])("affects nothing with $changes", ({ changes }, { expect }) => {
    const found = impact(undefined, terms("script-src 'none'", changes), seen);
    expect(found).toMatchObject({ seen: 0, blocked: [], unclear: [], elsewhere: 0 });
  });
});

describe("a policy that selects more pages", () => {
  const only = (path: string): PolicyBehavior =>
    terms("script-src 'self'", { expression: `http.request.uri.path eq "${path}"` });
  const pageUrls = ["https://shop.example.com/a", "https://shop.example.com/b"];

  it.for([
    { before: only("/a"), after: only("/a"), already: true },
    { before: only("/a"), after: terms("script-src 'self'"), already: false },
    { before: only("/a"), after: only("/b"), already: false },
    { before: terms("script-src 'self'"), after: only("/b"), already: true },
    { before: { ...only("/a"), action: "log" }, after: only("/a"), already: false },
  ])("already blocked on all pages: $already", ({ before, after, already }, { expect }) => {
    const { blocked } = impact(before, after, [{ ...cdn, pageUrls }]);
    expect(blocked).toMatchObject([{ already }]);
  });
});

describe("pages", () => {
  const expression = 'http.host eq "shop.example.com" and http.request.uri.path eq "/checkout"';
  const checkout = terms("script-src 'self'", { expression });

  it("are those on which a script was reported", ({ expect }) => {
    const pageUrls = ["https://shop.example.com/", "https://shop.example.com/checkout"];
    const { blocked } = impact(undefined, checkout, [{ ...cdn, pageUrls }]);
    expect(blocked.map(({ pages }) => pages)).toEqual([["https://shop.example.com/checkout"]]);
  });

  it("are those that the service lists, not the first one beside them", ({ expect }) => {
    const pageUrls = ["https://shop.example.com/checkout"];
    const { blocked } = impact(undefined, checkout, [{ ...cdn, pageUrls }]);
    expect(blocked.map(({ pages }) => pages)).toEqual([pageUrls]);
  });

  it("are not all known when the service returns the first one only", ({ expect }) => {
    expect(impact(undefined, checkout, [cdn])).toMatchObject({ seen: 0, elsewhere: 1 });
    expect(impact(undefined, checkout, [{ ...cdn, pageUrls: [cdn.firstPageUrl] }])).toMatchObject({
      seen: 0,
      elsewhere: 0,
    });
  });

  it("are known of one script and unknown of another one on the same host", ({ expect }) => {
    const unknown = { ...tracker, firstPageUrl: "" };
    for (const both of [
      [cdn, unknown],
      [unknown, cdn],
    ]) {
      const found = impact(undefined, checkout, both);
      expect(found).toMatchObject({ seen: 1, elsewhere: 1, blocked: [] });
      expect(urls(found.unclear)).toEqual([tracker.url]);
    }
  });

  it("are unknown when the service returns none", ({ expect }) => {
    const { unclear } = impact(undefined, checkout, [{ ...cdn, firstPageUrl: "" }]);
    expect(unclear).toMatchObject([{ resource: { url: cdn.url }, pages: [] }]);
  });
});

it("hands trust on to scripts, and never to connections", ({ expect }) => {
  const feed = connection("https://api.example/feed");
  const found = impact(undefined, terms("default-src 'strict-dynamic' 'self'"), [cdn, feed]);
  expect(urls(found.unclear)).toEqual([cdn.url]);
  expect(urls(found.blocked)).toEqual([feed.url]);
});

describe("an unclear decision", () => {
  const hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

  it.for([
    {
      when: "the expression decides by the visitor",
      after: terms("script-src 'self'", { expression: 'ip.src.country eq "DE"' }),
      resource: cdn,
      reason: "its expression depends on more than the URL of the page",
    },
    {
      when: "the expression cannot be read",
      after: terms("script-src 'self'", { expression: "http.host ===" }),
      resource: cdn,
      reason: "its expression depends on more than the URL of the page",
    },
    {
      when: "trust is handed on",
      after: terms("script-src 'strict-dynamic' 'self'"),
      resource: cdn,
      reason: "'strict-dynamic' allows what trusted scripts load, from any host",
    },
    {
      when: "the content is allowed by its hash",
      after: terms("script-src 'sha256-n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg='"),
      resource: { ...cdn, hash },
      reason: "its hash is allowed, which needs the integrity attribute in the page",
    },
    {
      when: "a connection is known by its host alone",
      after: terms("connect-src api.example/v1/"),
      resource: connection("https://api.example/"),
      reason: "the service logs only hosts of connections (use_connection_url_path is off)",
    },
  ])("is reported when $when", ({ after, resource, reason }, { expect }) => {
    expect(impact(undefined, after, [resource])).toMatchObject({
      blocked: [],
      unclear: [{ resource: { url: resource.url }, reason }],
    });
  });

  it.for([
    { what: "another path than the policy's", url: "https://api.example/v2/items" },
    { what: "another host, though its path is unknown", url: "https://evil.example/" },
  ])("is none for a connection with $what: it is blocked", ({ url }, { expect }) => {
    const found = impact(undefined, terms("connect-src api.example/v1/"), [connection(url)]);
    expect(found).toMatchObject({ blocked: [{ resource: { url } }], unclear: [] });
  });

  it("is none for a script with another hash: it is blocked", ({ expect }) => {
    const other = { ...cdn, hash: hash.replace("9f", "00") };
    const after = terms("script-src 'sha256-n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg='");
    for (const resource of [cdn, other]) {
      expect(impact(undefined, after, [resource])).toMatchObject({
        blocked: [{ resource }],
        unclear: [],
      });
    }
  });

  it("is clear when both outcomes are the same", ({ expect }) => {
    const anywhere = terms("script-src cdn.example.net", { expression: 'ip.src.country eq "DE"' });
    expect(impact(undefined, anywhere, [cdn])).toMatchObject({ blocked: [], unclear: [], seen: 1 });
  });
});

it("leaves out resources with an invalid URL", ({ expect }) => {
  const found = impact(undefined, terms("script-src 'self'"), [script("inline")]);
  expect(found).toMatchObject({ seen: 0, blocked: [] });
});
