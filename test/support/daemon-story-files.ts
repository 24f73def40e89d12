import { readFile } from "node:fs/promises";
import path from "node:path";

import type { Seed } from "../../src/emulator/seed/seed.ts";
import { listAnswer } from "./ask.ts";
import { goodSeed } from "./emulator.ts";
import type { Example } from "./example.ts";

/** The zones of the story: those of the example. */
export const zones = {
  blog: "blog.example.com",
  shop: "shop.example.com",
  brand: "www.brand.example",
} as const;
const { shop, brand } = zones;

const directory = path.resolve(import.meta.dirname, "../../config.example");

/** Scripts beside those of the example: their integrity score, their age, and the page of the shop. */
const scripts = [
  ["https://evil.example/a.js", "3", "5h", "checkout/pay"],
  ["https://evil.example/b.js", "2", "20d", ""],
  ["https://ads.example.org/a.js", "90", "2h", ""],
  ["https://ads.example.org/b.js", "90", "2h", ""],
  ["https://old.example.org/a.js", "90", "20d", ""],
  ["https://old.example.org/b.js", "90", "20d", ""],
] as const;

/** The example's seed, with a token that expires, a rate limit, a policy that is enforced, and more scripts. */
export async function storySeed(): Promise<Seed> {
  const text = await readFile(path.join(directory, "emulator.yaml"), "utf8");
  const more = scripts.map(
    ([url, score, age, page]) =>
      `      - { url: "${url}", js_integrity_score: ${score}, first_seen_at: ${age}, page_urls: ["https://${shop}/${page}"] }\n`,
  );
  return goodSeed(
    text
      .replace(
        "permissions: all",
        'permissions: all\n    expires_on: "2026-12-24T18:00:00Z"\nrate_limit: { requests: 700 }',
      )
      .replace("    connections:", `${more.join("")}    connections:`)
      .replace(
        /action: log\n( *expression: http.host eq "shop.example.com"\n)/,
        "action: allow\n$1",
      ),
  );
}

/** What another policy needs of the story. */
interface Declaring {
  readonly example: Example;
  sweep(): void;
  has(series: string, value: number): Promise<void>;
}

/** Declares another policy of the brand, and waits until all zones and the brand's inventory were read again. */
export async function declareMore(stage: Declaring): Promise<void> {
  const { place } = stage.example;
  const text = await place.read("zones/sites.yaml");
  const policy =
    "          - { key: more, action: log, expression: 'true', value: { img-src: [\"'self'\"] } }\n";
  await place.write("zones/sites.yaml", `${text}${policy}`);
  stage.sweep();
  await stage.has(`pending_changes{zone="${brand}",kind="policy"}`, 1);
  await stage.has('reconcile_total{trigger="signal",result="in_sync"}', 3);
  await stage.has('reconcile_total{trigger="signal",result="error"}', 3);
  const cookies = 'endpoint="/zones/{zone_id}/page_shield/cookies",method="GET",code="403"';
  await stage.has(`api_requests_total{${cookies}}`, 3);
}

/** Enforces the other policy of the shop, suspends the brand, and damages the state. */
export async function prepareFiles({ place }: Example): Promise<void> {
  await place.edit("zones/shop.yaml", "action: log", "action: allow");
  const sites = await place.read("zones/sites.yaml");
  const name = `  - name: ${brand}\n`;
  await place.write("zones/sites.yaml", sites.replace(name, `${name}    suspend: true\n`));
  await place.write("state/state.jsonl", "damaged\n");
}

/** The ids of the zones, by name. */
export async function idsOf({ emulator }: Example): Promise<ReadonlyMap<string, string>> {
  const listed = await listAnswer(emulator, "/zones");
  return new Map(listed.map(({ name, id }) => [name, id]));
}
