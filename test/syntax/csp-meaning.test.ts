import * as fc from "fast-check";
import { describe, it } from "vitest";

import { compareCsp } from "../../src/syntax/compare-csp.ts";
import { covers } from "../../src/syntax/csp-cover.ts";
import { parseCspSource } from "../../src/syntax/csp-source.ts";
import { matches } from "./csp-matching.ts";
import type { Page } from "./csp-matching.ts";

const hosts = ["example.com", "a.example.com", "b.a.example.com", "other.test"];

const source = fc.oneof(
  fc.constantFrom("*", "https:", "http:", "ws:", "wss:", "'self'"),
  fc
    .tuple(
      fc.constantFrom("", "http://", "https://", "wss://"),
      fc.constantFrom(...hosts, "*.example.com", "*.a.example.com", "*"),
      fc.constantFrom("", ":443", ":80", ":8443", ":*"),
      fc.constantFrom("", "/", "/js/", "/js/x.js"),
    )
    .map(
      ([scheme, host, port, path]) =>
        scheme + (host === "*" && scheme === "" ? "a.test" : host) + port + path,
    ),
);

const url = fc
  .tuple(
    fc.constantFrom("http", "https", "ws", "wss"),
    fc.constantFrom(...hosts),
    fc.constantFrom("", ":8443", ":80", ":443"),
    fc.constantFrom("/", "/js/", "/js/x.js", "/js/y/z.js"),
  )
  .map(([scheme, host, port, path]) => new URL(`${scheme}://${host}${port}${path}`));

const page = fc.record({
  scheme: fc.constantFrom("http" as const, "https" as const),
  host: fc.constantFrom(...hosts),
});

describe("a source that covers another", () => {
  it("matches every URL that the other matches, on every page", ({ expect }) => {
    fc.assert(
      fc.property(source, source, url, page, (wide, narrow, address, where) => {
        fc.pre(covers(parseCspSource(wide, 0), parseCspSource(narrow, 0)));
        expect(matches(wide, address, where) || !matches(narrow, address, where)).toBe(true);
      }),
      { numRuns: 6_000, maxSkipsPerRun: 1_000 },
    );
  });

  it.for([
    ["*", "a.example", true],
    ["*", "wss://a.example", false],
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
    ["https://a.example:443", "https://a.example", false],
    ["a.example:*", "a.example:8443", true],
    ["a.example/js/", "a.example/js/x.js", true],
    ["a.example/js", "a.example/js/x.js", false],
    ["a.example/", "a.example", true],
  ] as const)("%s covers %s: %s", ([wide, narrow, yes], { expect }) => {
    expect(covers(parseCspSource(wide, 0), parseCspSource(narrow, 0))).toBe(yes);
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

function permits(directives: Policy, chain: readonly string[], address: URL, where: Page): boolean {
  const ruling = chain.find((name) => directives.has(name));
  if (ruling === undefined) return true;
  return (directives.get(ruling) ?? []).some((candidate) => matches(candidate, address, where));
}

describe("a comparison of two policies", () => {
  it("calls stricter or equal only what permits nothing more, and looser what permits nothing less", ({
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
      { numRuns: 4_000 },
    );
  });
});
