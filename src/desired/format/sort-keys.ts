import { suppressionsIn } from "../load/suppressions.ts";
import type { KeyOrder } from "./key-order.ts";
import type { Collection, DocumentLayout, WrittenEntry, Remark, WrittenValue } from "./layout.ts";

/** The document with all keys in the order of the schema. Comments stay with the key after them. */
export function withSortedKeys(document: DocumentLayout, order: KeyOrder): DocumentLayout {
  const { root } = document;
  if (root.value === undefined) return document;
  // The lines at the top are written after the marker, and before the first key.
  const value = withLead(root.value, root.inner);
  return { ...document, root: { ...root, inner: [], value: sorted(value, order, false, false) } };
}

/** The value with lines before its first entry, where it has one. */
export function withLead(value: WrittenValue, lead: readonly Remark[]): WrittenValue {
  if (!("entries" in value)) return value;
  const [first, ...others] = value.entries;
  if (first === undefined) return { ...value, tail: [...lead, ...value.tail] };
  return { ...value, entries: [{ ...first, lead: [...lead, ...first.lead] }, ...others] };
}

/** @param isFixed whether its keys keep their order. @param isItem whether it is an entry of a list. */
function sorted(
  value: WrittenValue,
  order: KeyOrder,
  isFixed: boolean,
  isItem: boolean,
): WrittenValue {
  if (!("entries" in value)) return value;
  // An entry of a list and the first key of its map stand in one line.
  const isFirstFixed = isFixed && isItem;
  const entries = value.entries.map((entry, index) =>
    sortedBelow(entry, order, isSuppressed(entry) || (isFirstFixed && index === 0)),
  );
  const isKept = value.is === "list" || isFixed || hasOrderOfAnchors(value);
  return { ...value, entries: isKept ? entries : inOrder(entries, order) };
}

/** @param isFixed whether the keys of its map keep their order */
function sortedBelow(entry: WrittenEntry, order: KeyOrder, isFixed: boolean): WrittenEntry {
  const { key, inner, value } = entry;
  if (value === undefined || !("entries" in value)) return entry;
  const below = order.below(key?.name);
  // The lines before the first key of a map belong to it, wherever it goes.
  const isBlock = value.style === "block";
  const written = isBlock ? withLead(value, inner) : value;
  const own = sorted(written, below, isFixed, key === undefined);
  return { ...entry, inner: isBlock ? [] : inner, value: own };
}

function inOrder(entries: readonly WrittenEntry[], order: KeyOrder): readonly WrittenEntry[] {
  const [first, ...others] = entries;
  if (first === undefined) return entries;
  // A comment that an empty line separates from the first key is about all of them. One that
  // suppresses warnings is about the next line, wherever that is.
  const isAbout = first.lead.findIndex(({ text }) => suppressionsIn(text).length > 0);
  const end = first.lead
    .slice(0, isAbout === -1 ? undefined : isAbout)
    .findLastIndex(({ text }) => text === "" || text.startsWith("# yaml-language-server:"));
  const top = first.lead.slice(0, end + 1);
  const rest = [{ ...first, lead: first.lead.slice(end + 1) }, ...others].toSorted(
    (a, b) => order.positionOf(a.key?.name ?? "") - order.positionOf(b.key?.name ?? ""),
  );
  return rest.map((entry, index) =>
    index === 0 ? { ...entry, lead: [...top, ...entry.lead] } : entry,
  );
}

/** Whether a comment suppresses warnings of the line where the entry begins. */
export function isSuppressed({ lead }: WrittenEntry): boolean {
  return suppressionsIn(lead.map(({ text }) => text).join("\n")).length > 0;
}

/** Whether another order could put an alias before its anchor, or after another one. */
function hasOrderOfAnchors({ entries }: Collection): boolean {
  const names = entries.flatMap((entry) => [...(entry.key?.props ?? []), ...namesIn(entry.value)]);
  const anchors = names.filter((name) => name.startsWith("&"));
  return anchors.length > 1 || (anchors.length > 0 && names.some((name) => name.startsWith("*")));
}

/** The anchors and aliases in a value, as they are written. */
function namesIn(value: WrittenValue | undefined): readonly string[] {
  if (value === undefined) return [];
  const { props } = value;
  if (value.is === "line") {
    const { block, flow } = value.text;
    return block.startsWith("*") && block === flow ? [block] : props;
  }
  if (value.is === "block") return props;
  return [
    ...props,
    ...value.entries.flatMap((entry) => [...(entry.key?.props ?? []), ...namesIn(entry.value)]),
  ];
}
