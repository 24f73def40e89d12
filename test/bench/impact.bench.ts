import { performance } from "node:perf_hooks";

import { cspImpact } from "../../src/impact/csp-impact.ts";
import { script } from "../support/inventory.ts";
import type { BenchResult } from "./run.ts";

/** At most this many times what it takes to parse each address once. */
const promised = 15;

/** A zone of 20,000 scripts against a policy of 200 sources, the best of five. */
export async function bench(): Promise<BenchResult> {
  await Promise.resolve();
  const scripts = Array.from({ length: 20_000 }, (_, index) =>
    script(`https://cdn-${index % 500}.example.net/js/file-${index}.js`, {
      firstPageUrl: `https://shop.example.com/page-${index % 300}`,
    }),
  );
  const sources = Array.from({ length: 200 }, (_, index) =>
    index % 4 === 0 ? `https://cdn-${index}.example.net/js/` : `cdn-${index}.example.net`,
  );
  const after = {
    action: "allow",
    expression: 'http.host eq "shop.example.com"',
    enabled: true,
    value: `script-src 'self' ${sources.join(" ")}`,
  };
  const policy = { key: "policy/site", title: "", before: undefined, after };
  let best = Infinity;
  let floor = Infinity;
  let blocked = 0;
  let parsed = 0;
  for (let round = 0; round < 5; round += 1) {
    const start = performance.now();
    const [impact] = cspImpact([policy], scripts, { maliciousBelow: 50 });
    best = Math.min(best, performance.now() - start);
    const begin = performance.now();
    for (const { url, firstPageUrl } of scripts) parsed += hostsOf([url, firstPageUrl]);
    floor = Math.min(floor, performance.now() - begin);
    blocked = impact?.blocked.length ?? 0;
  }
  return {
    name: "impact of a policy",
    line: `20,000 scripts against 200 sources in ${(best / floor).toFixed(1)} times the parsing of ${parsed} letters of hosts (promised ${promised}), ${blocked} blocked`,
    kept: best <= promised * floor && blocked === 12_000,
  };
}

function hostsOf(urls: readonly string[]): number {
  return urls.reduce((sum, url) => sum + new URL(url).host.length, 0);
}
