import * as fc from "fast-check";
import { afterAll, beforeAll, describe, it } from "vitest";

import { cspDirectives } from "../../src/syntax/csp/csp-directives.ts";
import {
  type CspRequest,
  effectiveDirective,
  sourceMatcher,
} from "../../src/syntax/csp/csp-match.ts";
import { type Judge, noBrowser, pageLoads, startJudge } from "./browser.ts";

/** Policies on a page, and what its code asks for. */
interface Case {
  readonly page: string;
  readonly policies: readonly string[];
  readonly request: CspRequest;
  readonly urls: readonly string[];
}

/** Mostly what is usual, so that a good part of the pairs fit. */
function usually<T>(usual: fc.Arbitrary<T>, strange: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 3, arbitrary: usual }, strange);
}

function words(text: string): fc.Arbitrary<string> {
  return fc.constantFrom(...text.split(" "));
}

const host = usually(
  words("shop.example.com cdn.example.net a.cdn.example.net b.a.cdn.example.net"),
  words(
    "other.example example.net xcdn.example.net my_cdn.example.net cdn.example.net. net localhost " +
      "xn--bcher-kva.example 127.0.0.1 10.0.0.1 [::1]",
  ),
);
const port = usually(fc.constant(""), words(":80 :443 :8080 :8443"));
const path = words(
  "/ /js/ /js /js/a.js /js/A.js /js/%61.js /js/sub/a.js //js/a.js /js//a.js /js/./a.js /js/../a.js /js/* " +
    "/js/a+b.js /js/a%20b.js /%C3%A9.js /%c3%a9.js /%FF.js /a%zz /a% /a%2561 /a%3Bb /a%2Cb /a'b /a\\b /%25 /js/%3F",
);

/** Sources near to what is asked for: wide ones, so that many fit. */
const nearSource = fc
  .tuple(
    usually(fc.constant(""), words("http:// https:// ws:// wss://")),
    words(
      "* *.net *.com *.example.net *.cdn.example.net cdn.example.net shop.example.com CDN.example.NET",
    ),
    usually(fc.constant(""), words(":* :80 :443 :8080")),
    usually(fc.constant(""), path),
  )
  .map((parts) => parts.join(""));

/** Sources of every form, and what is none. */
const strangeSource = fc.oneof(
  fc
    .tuple(
      usually(fc.constant(""), words("http:// HTTPS:// ws:// wss:// ftp:// custom:// //")),
      usually(
        host,
        words(
          "*. *.. *.* *cdn.example.net cdn.*.net cdn..net .net *.0.0.1 *.cdn.example.net. -a.net",
        ),
      ),
      usually(port, words(": :0 :080 :0443 :00080 :99999 :8* :a :443:443")),
      usually(
        fc.constant(""),
        words("? ?v #x /? /?x /# /js/?x /js/# /js? /js/a.js?v=1 /js/a.js#top"),
      ),
    )
    .map((parts) => parts.join("")),
  words(
    "'self' 'SELF' 'none' 'NONE' 'self 'self'/ self none '' ' '*' \"*\" ** * */ */js/ *:* *:443 http: HTTP: https: https:/ " +
      "https:// http://* https://*:* ws: wss: data: Data: blob: filesystem: about: a.b: 1: [::1]:80 http://[::1] " +
      "https:cdn.example.net https:/cdn.example.net user@cdn.example.net https://user:pw@cdn.example.net/ " +
      "%63dn.example.net cdn%2Eexample.net 'unsafe-inline' 'unsafe-eval' 'nonce-abc' 'sha256-abc=' 'report-sample'",
  ),
);

const source = fc.oneof({ weight: 2, arbitrary: nearSource }, strangeSource);

const page = fc
  .tuple(
    words("http https"),
    usually(fc.constant("shop.example.com"), words("127.0.0.1 localhost shop.example.com. [::1]")),
    fc.constantFrom("", "", ":8080", ":80", ":443"),
  )
  .map(([scheme, name, at]) => `${scheme}://${name}${at}/page`);

const schemes = { script: "http https", connection: "http https ws wss" } as const;
const directives = {
  script: "script-src script-src script-src-elem default-src",
  connection: "connect-src connect-src default-src",
} as const;

const anyCase: fc.Arbitrary<Case> = fc
  .record({ page, request: fc.constantFrom("script" as const, "connection" as const) })
  .chain(({ page: address, request }) => {
    const here = new URL(address);
    const url = fc
      .tuple(
        words(schemes[request]),
        usually(host, fc.constant(here.hostname)),
        port,
        path,
        usually(fc.constant(""), words("? ?v=1 ?/js/")),
      )
      .map(([scheme, name, ...rest]) => new URL(`${scheme}://${name}${rest.join("")}`).href);
    const strange = fc.constantFrom("data:text/javascript,1", `blob:${here.origin}/1`);
    const policy = fc
      .tuple(words(directives[request]), fc.array(source, { maxLength: 5, size: "max" }))
      .map(([name, sources]) => [name, ...sources].join(" "));
    return fc.record({
      page: fc.constant(address),
      policies: fc.uniqueArray(policy, { minLength: 20, maxLength: 30, size: "max" }),
      request: fc.constant(request),
      urls: fc.uniqueArray(fc.oneof({ weight: 12, arbitrary: url }, strange), {
        minLength: 10,
        maxLength: 15,
        size: "max",
      }),
    });
  });

/** What our reading of the policies blocks. */
function blockedByUs({ page: address, policies, request, urls }: Case): readonly string[][] {
  const here = new URL(address);
  return policies.map((policy) => {
    const ruling = effectiveDirective(policy, request);
    if (ruling === undefined) return [];
    const matching = sourceMatcher(ruling.sources);
    return urls.filter((url) => matching(new URL(url), here).length === 0);
  });
}

function product(...lists: readonly (readonly string[])[]): readonly string[] {
  return lists.reduce<readonly string[]>(
    (texts, list) => texts.flatMap((text) => list.map((each) => text + each)),
    [""],
  );
}

describe.skipIf(noBrowser !== undefined)(
  `a browser and we read policies alike${noBrowser === undefined ? "" : ` (${noBrowser})`}`,
  () => {
    let judge: Judge;

    beforeAll(async () => {
      judge = await startJudge();
    });

    afterAll(() => judge[Symbol.asyncDispose]());

    it("blocks and allows the same in over 10,000 pairs of policy and URL", async ({ expect }) => {
      const tally = { blocked: 0, allowed: 0 };
      await fc.assert(
        fc.asyncProperty(anyCase, async (asked) => {
          const blocked = await judge.blocked(asked);
          expect(blockedByUs(asked)).toEqual(blocked);
          const count = blocked.flat().length;
          tally.blocked += count;
          tally.allowed += asked.policies.length * asked.urls.length - count;
        }),
        { numRuns: 50 },
      );
      expect(tally.blocked + tally.allowed).toBeGreaterThan(10_000);
      expect(Math.min(tally.blocked, tally.allowed)).toBeGreaterThan(2_000);
    });

    it.for(product(["http", "https"], ["://shop.example.com"], ["", ":80", ":443", ":8080"]))(
      "blocks and allows the same on %s, whatever the schemes and ports",
      async (origin, { expect }) => {
        const ports = ["", ":80", ":443", ":8080"];
        const safe = ["", "http://", "https://", "ws://", "wss://"];
        const sources = ["'self'", ...product(safe, ["shop.example.com"], [...ports, ":*"])];
        const urls = product(["http", "https", "ws", "wss"], ["://shop.example.com"], ports, [
          "/a",
        ]);
        const asked: Case = {
          page: `${origin}/`,
          policies: sources.map((each) => `connect-src ${each}`),
          request: "connection",
          urls: [...new Set(urls.map((url) => new URL(url).href))],
        };
        expect(blockedByUs(asked)).toEqual(await judge.blocked(asked));
      },
    );

    it.for([
      {
        // CSP Level 3 splits paths before it decodes them, which is the stricter reading.
        when: "it takes an encoded slash for a separator",
        source: "cdn.example.net/c%2Fd",
        url: "https://cdn.example.net/c/d",
      },
      {
        // CSP Level 3 wants a host where the source has one; nobody writes such a source.
        when: "any host is one of a scheme that has none",
        source: "blob://*",
        url: "blob:https://shop.example.com/1",
      },
    ])("differs where $when", async ({ source: odd, url }, { expect }) => {
      const asked: Case = {
        page: "https://shop.example.com/",
        policies: [`script-src ${odd}`],
        request: "script",
        urls: [url],
      };
      expect(await judge.blocked(asked)).toEqual([[]]);
      expect(blockedByUs(asked)).toEqual([[url]]);
    });

    const named: Readonly<Record<string, string>> = {
      script: "script-src-elem",
      connection: "connect-src",
      style: "style-src-elem",
      image: "img-src",
      font: "font-src",
      media: "media-src",
      frame: "frame-src",
      worker: "worker-src",
      "script attribute": "script-src-attr",
      "style attribute": "style-src-attr",
    };

    it.for(["script", "connection", ...pageLoads] as const)(
      "falls back from one directive to the other as we do: %s",
      async (request, { expect }) => {
        const own = named[request] ?? "";
        const chain = [own, ...(cspDirectives.get(own)?.fallback ?? [])];
        const sourceLists = [...cspDirectives].filter(([, { value }]) => value === "sources");
        const others = sourceLists.map(([name]) => name).filter((name) => !chain.includes(name));
        const url = "https://shop.example.com/x";
        const policies = {
          stopping: [
            ...chain.map((name) => `${name} 'none'`),
            ...chain.slice(1).map((name, place) => `${chain[place] ?? ""} 'none'; ${name} *`),
          ],
          passing: [
            ...others.map((name) => `${name} 'none'`),
            ...chain
              .slice(1)
              .map((name, place) => `${name} 'none'; ${chain[place] ?? ""} * 'unsafe-inline'`),
          ],
        };
        const blocked = await judge.blocked({
          page: "https://shop.example.com/",
          policies: ["sandbox allow-scripts allow-same-origin", ...Object.values(policies).flat()],
          request,
          urls: [url],
        });
        expect(blocked.slice(1)).toEqual([
          ...policies.stopping.map(() => [url]),
          ...policies.passing.map(() => []),
        ]);
      },
    );
  },
);
