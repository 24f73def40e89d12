import type { ZoneContent } from "../../zone/desired-zone.ts";
import type { ItemKind } from "../../zone/inventory-item.ts";

/**
 * Those that declare scripts which no round checks.
 *
 * @param kinds of items that rounds read; none if the inventory is off
 */
export function uncheckedScripts<T extends { readonly content: Pick<ZoneContent, "scripts"> }>(
  kinds: readonly ItemKind[],
  declared: Iterable<T>,
): readonly T[] {
  if (kinds.includes("script")) return [];
  return [...declared].filter(({ content }) => content.scripts !== undefined);
}
