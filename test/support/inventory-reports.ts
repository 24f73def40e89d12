import type { Outside } from "../../src/impact/outside-policies.ts";
import { inventoryFacts, type InventoryReport } from "../../src/report/zone-inventory.ts";
import {
  itemKinds,
  usualMaliciousBelow,
  type Item,
  type ItemKind,
} from "../../src/zone/inventory.ts";
import { at, failure, named } from "./reports.ts";

/** A look at a zone's inventory that ended `minutes` after the start and found these items. */
export function inventoryRead(
  zone: string,
  minutes: number,
  found: readonly Item[],
  outside?: Outside,
  kinds: readonly ItemKind[] = itemKinds,
): InventoryReport {
  const items = new Map(kinds.map((kind) => [kind, found.filter((item) => item.kind === kind)]));
  const options = { maliciousBelow: usualMaliciousBelow, now: at(minutes) };
  const facts = inventoryFacts(named(zone), { items, outside, impact: undefined }, options);
  return { result: "read", zone: named(zone), at: at(minutes), facts };
}

/** A look that failed. */
export function inventoryUnreadable(zone: string, minutes: number): InventoryReport {
  return { result: "unreadable", zone: named(zone), at: at(minutes), failure: failure() };
}
