import type { Located } from "./location.ts";
import { pathText } from "./yaml/path.ts";
import type { Path } from "./yaml/path.ts";

/** A copy of a document without the keys at some paths, in which everything else is found where it stands. */
export function pruned({ source, offsets, value }: Located, keys: ReadonlySet<string>): Located {
  const kept = new Map<object, readonly number[]>();
  const copy = (part: unknown, path: Path): unknown => {
    if (typeof part !== "object" || part === null) return part;
    const places = offsets.get(part) ?? [];
    if (Array.isArray(part)) {
      const list = part.map((item: unknown, index) => copy(item, [...path, index]));
      kept.set(list, places);
      return list;
    }
    const entries = Object.entries(part)
      .map(([name, inner]: [string, unknown], index) => ({ name, inner, index }))
      .filter(({ name }) => !keys.has(pathText([...path, name])));
    const map = Object.fromEntries(
      entries.map(({ name, inner }) => [name, copy(inner, [...path, name])]),
    );
    kept.set(
      map,
      entries.flatMap(({ index }) => places.slice(2 * index, 2 * index + 2)),
    );
    return map;
  };
  return { source, value: copy(value, []), offsets: kept };
}
