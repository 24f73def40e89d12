import { outsidePolicies } from "../../src/impact/outside-policies.ts";
import type { Failure } from "../../src/report/run-report.ts";
import {
  inventoryFacts,
  type InventoryFacts,
  type InventoryReport,
} from "../../src/report/zone-inventory.ts";
import { usualMaliciousBelow, type Item, type ItemKind } from "../../src/zone/inventory.ts";
import { connection, cookie, harmless, script } from "./inventory.ts";
import { at, failure, named, start } from "./reports.ts";

const checkout = "https://shop.example.com/checkout/pay";

/** A miner that got into the checkout three hours before the tests' moment. */
export const miner = script("https://stats.example.org/m.js", {
  scores: { ...harmless, integrity: 4 },
  firstSeenAt: at(-180),
  firstPageUrl: checkout,
});

/** What its operator had browsers connect to. */
const exfiltration = connection("https://collect.example.org/c", {
  firstSeenAt: at(-170),
  firstPageUrl: checkout,
  domainReportedMalicious: true,
  maliciousCategories: ["Malware"],
});

/** All that was seen in the shop. */
export const shopItems: readonly Item[] = [
  script("https://shop.example.com/js/app.js"),
  script("https://cdn.example.net/lib/2.4/ui.js"),
  script("https://old.example.net/v1.js", { status: "inactive" }),
  miner,
  connection("https://pay.example.net/v3/tokens"),
  exfiltration,
  cookie("session"),
];

/** What is special about a look at a zone. */
interface Seen {
  readonly items?: readonly Item[];
  /** The one policy that is enforced on all pages. */
  readonly policy?: string;
  readonly impact?: readonly string[];
}

/** What one look at a zone found: what was seen in the shop, and no policy, unless something else is said. */
export function inventoryRead(
  zone: string,
  minute: number,
  { items = shopItems, policy, impact = [] }: Seen = {},
): InventoryReport {
  const facts = { ...factsOf(zone, items, policy), impact };
  return { result: "read", zone: named(zone), at: at(minute), facts };
}

function factsOf(zone: string, items: readonly Item[], policy: string | undefined): InventoryFacts {
  const scripts = items.filter((item) => item.kind === "script");
  const used = scripts.filter(({ status }) => status !== "inactive");
  const enforced =
    policy === undefined
      ? []
      : [{ action: "allow", enabled: true, expression: "true", value: policy }];
  return inventoryFacts(
    named(zone),
    {
      items: new Map<ItemKind, readonly Item[]>([
        ["script", scripts],
        ["connection", items.filter((item) => item.kind === "connection")],
        ["cookie", items.filter((item) => item.kind === "cookie")],
      ]),
      outside: outsidePolicies(used, enforced),
      impact: undefined,
    },
    { maliciousBelow: usualMaliciousBelow, now: start },
  );
}

/** A look at a zone that failed. */
export function inventoryUnreadable(
  zone: string,
  minute: number,
  because: Failure = failure("GET page_shield/scripts: 403: the token may not read this zone", {
    code: "API_FORBIDDEN",
    transient: false,
  }),
): InventoryReport {
  return { result: "unreadable", zone: named(zone), at: at(minute), failure: because };
}
