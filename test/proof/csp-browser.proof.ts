import * as fc from "fast-check";
import { describe, it } from "vitest";

import { cspRuling, sourceMatcher } from "../../src/syntax/csp-match.ts";
import { noBrowser, startJudge, type Question } from "./browser.ts";

const hosts = ["shop.example.com", "cdn.example.net", "a.cdn.example.net", "b.a.cdn.example.net"];
const strangers = ["other.example", "example.net", "xcdn.example.net", "127.0.0.1"];
const paths = ["/", "/js/", "/js", "/js/a.js", "/js/A.js", "/js/%61.js", "/js/sub/a.js", "/a%zz"];

/** Mostly what is usual, so that a good part of the pairs fit. */
function usually<T>(usual: fc.Arbitrary<T>, strange: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 3, arbitrary: usual }, strange);
}

const host = usually(fc.constantFrom(...hosts), fc.constantFrom(...strangers));
const port = usually(fc.constant(""), fc.constantFrom(":80", ":443", ":8080"));
const path = fc.constantFrom(...paths);

const hostSource = fc
  .tuple(
    usually(fc.constant(""), fc.constantFrom("http://", "https://", "ws://", "wss://")),
    fc.oneof(
      host,
      host.map((name) => name.toUpperCase()),
      fc.constantFrom("*.cdn.example.net", "*.example.net", "*.example.com", "*.net", "*"),
    ),
    usually(port, fc.constant(":*")),
    usually(fc.constant(""), fc.oneof(path, fc.constantFrom("/js/a.js?v=1", "/js/a.js#top"))),
  )
  .map((parts) => parts.join(""));

const source = fc.oneof(
  { weight: 15, arbitrary: hostSource },
  fc.constantFrom("'self'", "'none'", "*", "http:", "https:", "ws:", "wss:", "data:", "blob:"),
);

const page = fc
  .tuple(fc.constantFrom("http", "https"), fc.constantFrom("", ":8080"))
  .map(([scheme, own]) => `${scheme}://shop.example.com${own}/page`);

/** Schemes that a page of its own scheme asks for at all: what mixes safe and unsafe is not a matter of policies. */
function schemesOn(address: string, request: Question["request"]): readonly string[] {
  const safe = request === "script" ? ["https"] : ["https", "wss"];
  if (address.startsWith("https:")) return safe;
  return [...safe, "http", ...(request === "script" ? [] : ["ws"])];
}

const question: fc.Arbitrary<Question> = fc
  .record({
    page,
    request: fc.constantFrom<Question["request"]>("script", "script", "connection"),
    fallback: fc.boolean(),
    sources: fc.array(source, { maxLength: 6 }),
  })
  .chain(({ request, fallback, sources, page: address }) => {
    const own = request === "script" ? "script-src" : "connect-src";
    const policy = [fallback ? "default-src" : own, ...sources].join(" ");
    const url = fc
      .tuple(fc.constantFrom(...schemesOn(address, request)), host, port, path)
      .map(([scheme, name, at, rest]) => new URL(`${scheme}://${name}${at}${rest}`).href);
    const inMemory = `blob:${new URL(address).origin}/1`;
    const strange = fc.constantFrom("data:text/javascript,1", inMemory);
    return fc.record({
      page: fc.constant(address),
      policy: fc.constant(policy),
      request: fc.constant(request),
      urls: fc.uniqueArray(
        request === "script" ? fc.oneof({ weight: 9, arbitrary: url }, strange) : url,
        { minLength: 5, maxLength: 10 },
      ),
    });
  });

/** What our reading of the policy blocks. */
function blockedByUs({ page: address, policy, request, urls }: Question): readonly string[] {
  const ruling = cspRuling(policy, request);
  if (ruling === undefined) return [];
  const matching = sourceMatcher(ruling.sources);
  const here = new URL(address);
  return urls.filter((url) => matching(new URL(url), here).length === 0);
}

describe.skipIf(noBrowser !== undefined)(
  `a browser and we read policies alike${noBrowser === undefined ? "" : ` (${noBrowser})`}`,
  () => {
    it("blocks and allows the same in over 600 pairs of policy and URL", async ({ expect }) => {
      await using judge = await startJudge();
      const tally = { blocked: 0, allowed: 0 };
      await fc.assert(
        fc.asyncProperty(question, async (asked) => {
          const blocked = await judge.blocked(asked);
          expect(blockedByUs(asked)).toEqual(blocked);
          tally.blocked += blocked.length;
          tally.allowed += asked.urls.length - blocked.length;
        }),
        { numRuns: 120 },
      );
      expect(tally.blocked + tally.allowed).toBeGreaterThan(600);
      expect(Math.min(tally.blocked, tally.allowed)).toBeGreaterThan(100);
    });

    it("differs where the browser takes an encoded slash for a separator", async ({ expect }) => {
      // CSP Level 3 splits paths before it decodes them, which is the stricter reading.
      await using judge = await startJudge();
      const asked: Question = {
        page: "https://shop.example.com/",
        policy: "script-src cdn.example.net/c%2Fd",
        request: "script",
        urls: ["https://cdn.example.net/c/d"],
      };
      expect(await judge.blocked(asked)).toEqual([]);
      expect(blockedByUs(asked)).toEqual(asked.urls);
    });
  },
);
