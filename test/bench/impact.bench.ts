import { performance } from "node:perf_hooks";

import { cspImpact } from "../../src/impact/csp-impact.ts";
import { script } from "../support/inventory.ts";
import type { BenchResult } from "./run.ts";

const promisedMs = 200;

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
  let blocked = 0;
  for (let round = 0; round < 5; round += 1) {
    const start = performance.now();
    const [impact] = cspImpact([policy], scripts, { maliciousBelow: 50 });
    best = Math.min(best, performance.now() - start);
    blocked = impact?.blocked.length ?? 0;
  }
  return {
    name: "impact of a policy",
    line: `20,000 scripts against 200 sources in ${best.toFixed(0)} ms (promised ${promisedMs}), ${blocked} blocked`,
    kept: best < promisedMs && blocked === 12_000,
  };
}
