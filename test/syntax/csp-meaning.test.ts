import * as fc from "fast-check";
import { describe, it } from "vitest";

import { compareCsp } from "../../src/syntax/csp/compare-csp.ts";
import { coversAmong } from "../../src/syntax/csp/csp-cover.ts";
import { sourceMatcher } from "../../src/syntax/csp/csp-match.ts";
import { parseCspSource } from "../../src/syntax/csp/csp-source.ts";
import { cases } from "../support/properties.ts";

const hosts = ["example.com", "a.example.com", "b.a.example.com", "other.test"];

const source = fc.oneof(
  fc.constantFrom("*", "https:", "http:", "ws:", "wss:", "data:", "'self'"),
  fc
    .tuple(
      fc.constantFrom("", "http://", "https://", "ws://", "wss://"),
      fc.constantFrom(...hosts, "*.example.com", "*.a.example.com", "*"),
      fc.constantFrom("", "", ":443", ":80", ":080", ":8443", ":*"),
      fc.constantFrom(
        "",
        "",
        "/",
        "/js/",
        "/js",
        "/js/x.js",
        "/js/%78.js",
        "/js/x.js?v=1",
        "/#top",
      ),
    )
    .map((parts) => parts.join("")),
);

const url = fc.oneof(
  {
    weight: 20,
    arbitrary: fc
      .tuple(
        fc.constantFrom("http://", "https://", "ws://", "wss://"),
        fc.constantFrom(...hosts),
        fc.constantFrom("", ":8443", ":80", ":443"),
        fc.constantFrom("/", "/js/", "/js", "/js/x.js", "/js/y/z.js"),
      )
      .map((parts) => new URL(parts.join(""))),
  },
  fc.constant(new URL("data:text/plain,1")),
);

const page = fc
  .tuple(
    fc.constantFrom("http://", "https://"),
    fc.constantFrom(...hosts),
    fc.constantFrom("", ":80", ":443", ":8443"),
  )
  .map((parts) => new URL(parts.join("")));

/** What browsers do, as test/proof/csp-browser.proof.ts holds it to a browser. */
function matches(text: string, address: URL, where: URL): boolean {
  return sourceMatcher([parseCspSource(text, 0)])(address, where).length > 0;
}

function covers(wide: string, narrow: string): boolean {
  return coversAmong([parseCspSource(wide, 0)])(parseCspSource(narrow, 0)) !== undefined;
}

describe("a source that covers another", () => {
  it("matches every URL that the other matches, on every page", ({ expect }) => {
    const urls = fc.array(url, { minLength: 20, size: "max", maxLength: 20 });
    fc.assert(
      fc.property(source, source, urls, page, (wide, narrow, addresses, where) => {
        fc.pre(covers(wide, narrow));
        const missed = addresses.filter(
          (address) => matches(narrow, address, where) && !matches(wide, address, where),
        );
        expect(missed.map(String)).toEqual([]);
      }),
      { ...cases(300), maxSkipsPerRun: 1_000 },
    );
  });

  it.for([
    ["*", "a.example", true],
    ["*", "wss://a.example", true],
    ["*", "data:", false],
    ["*", "'self'", true],
    ["*", "'unsafe-inline'", false],
    ["*.example.com", "a.b.example.com", true],
    ["*.example.com", "example.com", false],
    ["*.example.com", "*.a.example.com", true],
    ["https:", "https://a.example", true],
    ["https:", "a.example", false],
    ["http:", "a.example", true],
    ["http:", "https:", true],
    ["http://a.example", "https://a.example", true],
    ["https://a.example", "http://a.example", false],
    ["https://a.example", "https://a.example:443", true],
    ["https://a.example:443", "https://a.example", true],
    ["a.example:443", "a.example", false],
    ["ws:", "https://a.example", false],
    ["https:", "wss://a.example", false],
    ["http://a.example:8443", "https://a.example:8443", false],
    ["'self'", "https://a.example", false],
    ["a.example:*", "a.example:8443", true],
    ["a.example/js/", "a.example/js/x.js", true],
    ["a.example/js", "a.example/js/x.js", false],
    ["a.example/", "a.example", true],
    ["a.example/js/", "a.example/%6As/x.js?v=1", true],
    ["a.example/js/x.js?v=1", "a.example/js/x.js", true],
  ] as const)("%s covers %s: %s", ([wide, narrow, yes], { expect }) => {
    expect(covers(wide, narrow)).toBe(yes);
  });

  it("is found behind many sources that cover nothing", ({ expect }) => {
    const hashes = Array.from({ length: 17 }, (_, index) => `'sha256-${index}'`);
    const sources = [...hashes, "*"].map((text) => parseCspSource(text, 0));
    expect(coversAmong(sources)(parseCspSource("a.example", 0))).toHaveProperty("text", "*");
  });
});

const names = [
  "default-src",
  "script-src",
  "img-src",
  "child-src",
  "worker-src",
  "frame-src",
] as const;

/** What rules a kind of resource, as CSP Level 3 lists it. */
const chains = {
  script: ["script-src", "default-src"],
  image: ["img-src", "default-src"],
  worker: ["worker-src", "child-src", "script-src", "default-src"],
  frame: ["frame-src", "child-src", "default-src"],
} as const;

type Policy = ReadonlyMap<string, readonly string[]>;

const policy = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...names), fc.array(source, { maxLength: 3 })), {
    selector: ([name]) => name,
  })
  .map((directives): Policy => new Map(directives));

function textOf(directives: Policy): string {
  return [...directives].map(([name, sources]) => [name, ...sources].join(" ")).join("; ");
}

function permits(directives: Policy, chain: readonly string[], address: URL, where: URL): boolean {
  const ruling = chain.find((name) => directives.has(name));
  if (ruling === undefined) return true;
  return (directives.get(ruling) ?? []).some((candidate) => matches(candidate, address, where));
}

describe("a comparison of two policies", () => {
  it("is stricter or equal only if it permits nothing more, and looser only if nothing less", ({
    expect,
  }) => {
    fc.assert(
      fc.property(
        policy,
        policy,
        fc.array(url, { minLength: 4 }),
        page,
        (before, after, urls, where) => {
          const { direction } = compareCsp(textOf(before), textOf(after));
          for (const chain of Object.values(chains)) {
            for (const address of urls) {
              const was = permits(before, chain, address, where);
              const is = permits(after, chain, address, where);
              if (is && !was) expect(["looser", "mixed"]).toContain(direction);
              if (was && !is) expect(["stricter", "mixed"]).toContain(direction);
            }
          }
        },
      ),
      cases(200),
    );
  });
});
