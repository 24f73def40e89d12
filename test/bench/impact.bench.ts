import { cspImpact } from "../../src/impact/csp-impact.ts";
import { script } from "../support/inventory.ts";
import { timesFloor } from "./processor-time.ts";
import type { BenchResult } from "./run.ts";

/** At most this many times what it takes to parse each address once. */
const promised = 6;
const rounds = 9;

/** A zone of 20,000 scripts against a policy of 200 sources. */
export async function bench(): Promise<BenchResult> {
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
  let blocked = 0;
  const ratio = await timesFloor(
    rounds,
    () => {
      const [impact] = cspImpact([policy], scripts, { maliciousBelow: 50 });
      blocked = impact?.blocked.length ?? 0;
    },
    () => {
      const hosts = scripts.flatMap(({ url, firstPageUrl }) => [hostOf(url), hostOf(firstPageUrl)]);
      if (hosts.includes("")) throw new Error("an address without a host");
    },
  );
  return {
    name: "impact of a policy",
    line: `20,000 scripts against 200 sources in ${ratio.toFixed(1)} times the parsing of their addresses (promised ${promised}), ${blocked} blocked`,
    kept: ratio <= promised && blocked === 12_000,
  };
}

function hostOf(url: string): string {
  return new URL(url).host;
}
