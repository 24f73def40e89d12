import { outsidePolicies, type OutsideScripts } from "../../src/impact/outside-policies.ts";
import { inventoryFacts, type InventoryReport } from "../../src/state/inventory.ts";
import type { Failure } from "../../src/state/run-report.ts";
import { isInUse, type Item, type ItemKind, itemKinds } from "../../src/zone/inventory-item.ts";
import { connection, cookie, harmless, script } from "./inventory.ts";
import { at, failure, named } from "./reports.ts";

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
const shopItems: readonly Item[] = [
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
  /** The kinds that were looked at. */
  readonly kinds?: readonly ItemKind[];
  /** Kinds that the service did not show. */
  readonly notPermitted?: ReadonlyMap<ItemKind, Failure>;
  /** The one policy that is enforced on all pages. */
  readonly policy?: string;
  /** What is outside of policies, where that does not follow from the policy. */
  readonly outside?: OutsideScripts;
  readonly impact?: readonly string[];
}

/** What one look at a zone found: what was seen in the shop, and no policy, unless something else is said. */
export function inventoryRead(zone: string, minute: number, seen: Seen = {}): InventoryReport {
  const { items = shopItems, kinds = itemKinds, policy, impact = [] } = seen;
  const reading = {
    items: new Map(kinds.map((kind) => [kind, items.filter((item) => item.kind === kind)])),
    notPermitted: seen.notPermitted ?? new Map(),
    outside: seen.outside ?? outsideOf(items, policy),
    impact,
  };
  const options = { maliciousBelow: 50, now: at(minute) };
  const facts = inventoryFacts(reading, options);
  return { result: "read", zone: named(zone), at: at(minute), facts };
}

function outsideOf(items: readonly Item[], policy: string | undefined): OutsideScripts | undefined {
  if (policy === undefined) return undefined;
  const used = items.filter((item) => item.kind === "script").filter(isInUse);
  return outsidePolicies(used, [
    { action: "allow", enabled: true, expression: "true", value: policy },
  ]);
}

/** A look at a zone that failed. */
export function inventoryUnreadable(
  zone: string,
  minute: number,
  reason: Failure = failure("GET page_shield/scripts: 403: the token may not read this zone", {
    code: "API_FORBIDDEN",
    transient: false,
  }),
): InventoryReport {
  return { result: "error", zone: named(zone), at: at(minute), failure: reason };
}
