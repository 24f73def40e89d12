import { createHash } from "node:crypto";

import * as fc from "fast-check";
import { type Browser, chromium } from "playwright-core";
import { describe, it } from "vitest";

import { compareCsp } from "../../src/syntax/csp/compare-csp.ts";
import { executable, noBrowser } from "./browser.ts";

const address = "https://shop.example.com/page";
const cdn = "https://cdn.example.net";

const hashed = { script: "window.a=1", handler: "window.b=1", style: "p{color:red}" };

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** Hears which element or which `eval` violates which policy. Its own element has no id. */
const listener = `window.found=[];
document.addEventListener("securitypolicyviolation",(event)=>{
  const id = event.target.id || (event.blockedURI === "eval" ? "eval" : "");
  if (id !== "") window.found.push([event.originalPolicy, id]);
});
try { eval("1"); } catch {}
const script = document.createElement("script");
script.id = "dynamic script"; script.src = "${cdn}/d.js"; document.head.append(script);`;

/** A page that uses everything that keywords, hashes and nonces are about, each in an element with an id. */
const body = `<!doctype html><head><script>${listener}</script></head>
<script id="inline script">1</script>
<script id="script with nonce" nonce="abc">1</script>
<script id="script with hash">${hashed.script}</script>
<script id="own script" src="/a.js"></script>
<script id="foreign script" src="${cdn}/a.js"></script>
<script id="foreign script with nonce" nonce="abc" src="${cdn}/b.js"></script>
<p id="handler" onclick="1"></p>
<p id="handler with hash" onclick="${hashed.handler}"></p>
<style id="inline style">a{}</style>
<style id="style with nonce" nonce="abc">b{}</style>
<style id="style with hash">${hashed.style}</style>
<p id="style attribute" style="color:red"></p>
<link id="own style" rel="stylesheet" href="/a.css">
<link id="foreign style" rel="stylesheet" href="${cdn}/a.css">
<img id="own image" src="/a.png"><img id="foreign image" src="${cdn}/a.png">`;

const sources = [
  "'self'",
  "cdn.example.net",
  "'unsafe-inline'",
  "'unsafe-inline'",
  "'unsafe-eval'",
  "'unsafe-hashes'",
  "'strict-dynamic'",
  "'nonce-abc'",
  "'nonce-other'",
  "'nonce-'",
  "'nonce-{{x}}'",
  "'nonce-a b'",
  hashOf(hashed.script),
  hashOf(hashed.handler),
  hashOf(hashed.style),
  hashOf("nothing on the page"),
  "'sha256-x'",
  "'sha256-'",
  `'sha512-${"A".repeat(43)}='`,
  "'report-sample'",
  "'wasm-unsafe-eval'",
  "'none'",
  "*",
  "https:",
  "data:",
  "'UNSAFE-INLINE'",
] as const;

const names = ["script-src", "script-src", "default-src", "style-src", "img-src"] as const;
const directive = fc
  .tuple(
    fc.constantFrom(...names),
    fc.uniqueArray(fc.constantFrom(...sources), { maxLength: 4, size: "max" }),
  )
  .map((parts) => parts.flat());

/** Directives of a policy, and of others that have one source more. */
const family = fc
  .tuple(
    fc.uniqueArray(directive, { minLength: 1, maxLength: 2, selector: ([name]) => name }),
    fc.array(fc.constantFrom(...sources), { minLength: 2, maxLength: 2 }),
  )
  .map(([[first = [], ...others], more]) => [
    [first, ...others],
    ...more.map((source) => [[...first, source], ...others]),
  ]);

const anyPolicies = fc
  .array(family, { minLength: 15, maxLength: 15 })
  .map((families) =>
    families.map((each) =>
      each.map((directives) => directives.map((words) => words.join(" ")).join("; ")),
    ),
  );

/** What each policy blocks on the page. */
async function blockedBy(
  browser: Browser,
  policies: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const page = await browser.newPage();
  try {
    await page.route("**", async (route) => {
      const url = route.request().url();
      const isPage = url === address;
      const type = url.endsWith(".css") ? "text/css" : "text/javascript";
      await route.fulfill({
        status: 200,
        headers: isPage
          ? {
              "content-type": "text/html",
              "content-security-policy-report-only": policies.join(", "),
            }
          : { "content-type": type },
        body: isPage ? body : "",
      });
    });
    await page.goto(address, { waitUntil: "load" });
    const found = await page.evaluate<readonly (readonly [string, string])[]>("window.found");
    return new Map(
      policies.map((policy) => [
        policy,
        new Set(found.flatMap(([of, id]) => (of === policy ? [id] : []))),
      ]),
    );
  } finally {
    await page.close();
  }
}

describe.skipIf(noBrowser !== undefined)(
  `a browser and we compare policies alike${noBrowser === undefined ? "" : ` (${noBrowser})`}`,
  () => {
    it("calls nothing stricter or equal that permits more, and nothing looser or equal that blocks more", async ({
      expect,
    }) => {
      const browser = await chromium.launch({
        executablePath: executable,
        args: ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND"],
      });
      const tally = { pairs: 0, near: 0, exact: 0 };
      try {
        await fc.assert(
          fc.asyncProperty(anyPolicies, async (families) => {
            const blocked = await blockedBy(browser, [...new Set(families.flat())]);
            for (const [before, was] of blocked) {
              for (const [after, is] of blocked) {
                const { direction } = compareCsp(before, after);
                const permitted = [...was.difference(is)];
                const restricted = [...is.difference(was)];
                const allowed = [
                  ...(permitted.length > 0 ? [] : ["stricter"]),
                  ...(restricted.length > 0 ? [] : ["looser"]),
                  ...(permitted.length + restricted.length > 0 ? [] : ["equal"]),
                  "mixed",
                ];
                const about = { before, after, permitted, restricted };
                expect(allowed, JSON.stringify(about, undefined, 1)).toContain(direction);
                tally.pairs += 1;
                const isNear = families.some(([first, ...more]) => {
                  return first === before && more.includes(after);
                });
                if (!isNear || permitted.length + restricted.length === 0) continue;
                tally.near += 1;
                if (direction !== "mixed") tally.exact += 1;
              }
            }
          }),
          { numRuns: 16 },
        );
      } finally {
        await browser.close();
      }
      expect(tally.pairs).toBeGreaterThan(10_000);
      expect(tally.near).toBeGreaterThan(20);
      // A comparison that calls everything mixed would be right, and of no use.
      expect(tally.exact / tally.near).toBeGreaterThan(0.5);
    });
  },
);
