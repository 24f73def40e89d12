/** The live resources that may be a declared one. */
type Candidates<Item, Live> = (item: Item) => readonly Live[];

/**
 * Matches declared items with live ones, of any kind: by the key in our mark, else by the former key if that is not declared,
 * else with one that is alike. No live one matches twice. Of several candidates for an item one that `isBest` wins, else the
 * first.
 *
 * @param byKey the live ones that are ours, by the key in their mark.
 * @param alikeTo the live ones that are alike, from the surest way to tell to the least sure.
 */
export function matchByKey<
  Item extends { readonly key: string; readonly was: string | undefined },
  Live,
>(
  declared: readonly Item[],
  byKey: ReadonlyMap<string | undefined, readonly Live[]>,
  alikeTo: readonly Candidates<Item, Live>[],
  isBest?: (item: Item, live: Live) => boolean,
): ReadonlyMap<Item, Live> {
  const keys = new Set(declared.map(({ key }) => key));
  const candidatesBy: readonly Candidates<Item, Live>[] = [
    ({ key }) => byKey.get(key) ?? [],
    ({ was }) => (was === undefined || keys.has(was) ? [] : (byKey.get(was) ?? [])),
    ...alikeTo,
  ];
  const found = new Map<Item, Live>();
  const taken = new Set<Live>();
  const eligible = [...(isBest === undefined ? [] : [isBest]), () => true];
  for (const candidates of candidatesBy) {
    for (const isEligible of eligible) {
      for (const item of declared) {
        if (found.has(item)) continue;
        const match = candidates(item).find((each) => !taken.has(each) && isEligible(item, each));
        if (match === undefined) continue;
        found.set(item, match);
        taken.add(match);
      }
    }
  }
  return found;
}
