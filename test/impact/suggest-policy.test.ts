import * as fc from "fast-check";
import { describe, it } from "vitest";

import { cspImpact } from "../../src/impact/csp-impact.ts";
import { type Granularity, granularities, suggestPolicy } from "../../src/impact/suggest-policy.ts";
import type { SeenResource } from "../../src/zone/inventory-item.ts";
import { connection, harmless, script } from "../support/inventory.ts";

const host = "shop.example.com";
const hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const bad = { scores: { ...harmless, integrity: 2 } };

function directivesFor(
  resources: readonly SeenResource[],
  granularity: Granularity,
): Readonly<Record<string, readonly string[]>> {
  return suggestPolicy(host, resources, { granularity, maliciousBelow: 50 }).directives;
}

const seen = [
  script("https://shop.example.com/js/app.js"),
  script("https://cdn.example.net/lib/2/ui.js"),
  script("https://cdn.example.net/lib/2/extra/more.js", { hash }),
  script("https://cdn.example.net/a;b/c,d/e.js"),
  connection("wss://live.example.net/feed"),
  connection("https://api.example.net:8443/v1/items"),
];

it("names what was seen in the fewest sources, by each granularity", ({ expect }) => {
  const named = granularities.map((granularity) => [granularity, directivesFor(seen, granularity)]);
  expect(Object.fromEntries(named)).toEqual({
    host: {
      "script-src": ["'self'", "cdn.example.net"],
      "connect-src": ["api.example.net:8443", "wss://live.example.net"],
    },
    path: {
      "script-src": [
        "cdn.example.net/a%3Bb/c%2Cd/",
        "cdn.example.net/lib/2/",
        "shop.example.com/js/",
      ],
      "connect-src": ["api.example.net:8443/v1/", "wss://live.example.net"],
    },
    hash: {
      "script-src": [
        "'sha256-n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg='",
        "cdn.example.net/a%3Bb/c%2Cd/e.js",
        "cdn.example.net/lib/2/ui.js",
        "shop.example.com/js/app.js",
      ],
      "connect-src": ["api.example.net:8443/v1/items", "wss://live.example.net/feed"],
    },
  });
});

it.for([`0${hash}`, `${hash}0`, hash.slice(1), "", hash.replace("9", "x")])(
  "names the URL of a script whose hash is no SHA-256: %s",
  (other, { expect }) => {
    const found = script("https://cdn.example.net/a.js", { hash: other });
    expect(directivesFor([found], "hash")).toEqual({ "script-src": ["cdn.example.net/a.js"] });
  },
);

describe("what is left out", () => {
  it("is malicious, or has no host that could be named", ({ expect }) => {
    const miner = script("https://miner.example/m.js", bad);
    const inline = script("data:text/javascript,1");
    const underscore = script("https://my_cdn.example.net/a.js");
    const address = script("https://[2001:db8::1]/a.js");
    const options = { granularity: "host", maliciousBelow: 50 } as const;
    const resources = [...seen, miner, inline, underscore, address];
    expect(suggestPolicy(host, resources, options).leftOut).toEqual([
      { resource: miner, reason: "integrity score 2", letInBy: undefined },
      { resource: inline, reason: "no source matches it", letInBy: undefined },
      { resource: underscore, reason: "no source matches it", letInBy: undefined },
      { resource: address, reason: "no source matches it", letInBy: undefined },
    ]);
  });

  it("is reported when a source of others allows it all the same", ({ expect }) => {
    const skimmer = script("https://cdn.example.net/evil/s.js", bad);
    const leftBy = (granularity: Granularity): readonly (string | undefined)[] =>
      suggestPolicy(host, [...seen, skimmer], { granularity, maliciousBelow: 50 }).leftOut.map(
        ({ letInBy }) => letInBy,
      );
    expect([leftBy("host"), leftBy("path")]).toEqual([["cdn.example.net"], [undefined]]);
  });

  it("has no URL", ({ expect }) => {
    const inline = script("inline");
    const options = { granularity: "host", maliciousBelow: 50 } as const;
    expect(suggestPolicy(host, [...seen, inline], options)).toMatchObject({
      resources: seen.length,
      leftOut: [{ resource: inline, reason: "no source matches it", letInBy: undefined }],
    });
  });

  it("has no URL and is malicious", ({ expect }) => {
    const inline = script("inline", bad);
    const options = { granularity: "host", maliciousBelow: 50 } as const;
    expect(suggestPolicy(host, [inline], options)).toEqual({
      host,
      resources: 0,
      directives: {},
      leftOut: [{ resource: inline, reason: "integrity score 2", letInBy: undefined }],
    });
  });

  it("was seen on another host", ({ expect }) => {
    const elsewhere = { host: "www.example.com", firstPageUrl: "https://www.example.com/" };
    expect(directivesFor([script("https://cdn.example.net/a.js", elsewhere)], "host")).toEqual({});
  });
});

describe("what was seen on the host", () => {
  const page = `https://${host}/`;
  const elsewhere = { host: "www.example.com", firstPageUrl: "https://www.example.com/" };

  it.for([
    { how: "by the host that the service names", changes: { firstPageUrl: "" } },
    { how: "by its first page", changes: { ...elsewhere, firstPageUrl: page } },
    { how: "by a further page", changes: { ...elsewhere, pageUrls: ["?", page] } },
  ])("is known $how", ({ changes }, { expect }) => {
    const found = script("https://cdn.example.net/a.js", changes);
    expect(directivesFor([found], "host")).toEqual({ "script-src": ["cdn.example.net"] });
  });
});

it.for(["host", "path"] as const)(
  "names a script with a hash by its %s",
  (granularity, { expect }) => {
    const found = script("https://cdn.example.net/js/a.js", { hash });
    const source = granularity === "host" ? "cdn.example.net" : "cdn.example.net/js/";
    expect(directivesFor([found], granularity)).toEqual({ "script-src": [source] });
  },
);

it("keeps one of two sources that match the same, always the same one", ({ expect }) => {
  const both = ["/a/b.js", "/%61/c.js"].map((path) => script(`https://cdn.example.net${path}`));
  for (const order of [both, both.toReversed()]) {
    expect(directivesFor(order, "path")).toEqual({ "script-src": ["cdn.example.net/a/"] });
  }
});

const url = fc
  .tuple(
    fc.constantFrom("https", "http", "wss"),
    fc.constantFrom(host, "cdn.example.net", "a.cdn.example.net", "api.example:8443"),
    fc.constantFrom("/", "/a.js", "/js/a.js", "/js/deep/b.js", "/x;y/c,d.js", "/%61/b.js"),
  )
  .map(([scheme, name, path]) => `${scheme}://${name}${path}`);

const resources = fc.array(
  fc.oneof(
    url.map((each) => script(each)),
    url.map((each) => script(each, bad)),
    url.map((each) => connection(each)),
  ),
);

it("blocks malicious resources only, and has no redundant source", ({ expect }) => {
  fc.assert(
    fc.property(resources, fc.constantFrom("host", "path"), (all, granularity) => {
      const directives = directivesFor(all, granularity);
      const value = Object.entries(directives)
        .map(([name, sources]) => [name, ...sources].join(" "))
        .join("; ");
      const after = { action: "allow", expression: "true", enabled: true, value };
      const policy = { key: "policy/a", title: "", before: undefined, after };
      const [impact] = cspImpact([policy], all, { maliciousBelow: 50 });
      const blocked = impact?.blocked.filter(({ malicious }) => malicious.length === 0);
      expect(blocked).toEqual([]);
      expect(impact?.unseen).toEqual([]);
    }),
  );
});
