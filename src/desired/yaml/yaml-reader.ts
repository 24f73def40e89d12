import { isAlias, isMap, isScalar } from "yaml";
import type { Alias, ParsedNode, YAMLMap, YAMLSeq } from "yaml";

import type { DiagnosticCode } from "../../zone/diagnostic-codes.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { maxProblems, problemOf } from "../diagnostics.ts";
import { placeAt } from "./source.ts";
import type { Source } from "./source.ts";

/**
 * Where the parts of maps and lists stand: for a map the offsets of key and value in turn, in the order of
 * `Object.keys`; for a list those of its items.
 */
export type Offsets = ReadonlyMap<object, readonly number[]>;

/** What aliases may add to a document, in values: honest ones add dozens. */
const maxAliased = 100_000;

/** `undefined` where its value is still being read: an alias of it would be a circle. */
type Anchored = { readonly value: unknown; readonly size: number } | undefined;

/** Turns syntax trees into plain data in one pass, and finds on the way what `yaml` does not look for. */
export class YamlReader {
  readonly offsets = new Map<object, readonly number[]>();
  readonly diagnostics: Diagnostic[] = [];
  readonly #source: Source;
  readonly #path: (string | number)[] = [];
  readonly #anchors = new Map<string, Anchored>();
  #size = 0;
  #aliased = 0;

  constructor(source: Source) {
    this.#source = source;
  }

  /** The plain data of a document; `null` where it says nothing. */
  read(root: ParsedNode | null): unknown {
    this.#anchors.clear();
    this.#aliased = 0;
    return root === null ? null : this.#value(root);
  }

  #value(node: ParsedNode): unknown {
    if (isAlias(node)) return this.#alias(node);
    const { anchor } = node;
    const before = this.#size;
    if (anchor !== undefined) this.#anchors.set(anchor, undefined);
    this.#size += 1;
    const value = isScalar(node) ? node.value : this.#collection(node);
    if (anchor !== undefined) this.#anchors.set(anchor, { value, size: this.#size - before });
    return value;
  }

  #collection(node: YAMLMap.Parsed | YAMLSeq.Parsed): unknown {
    return isMap(node) ? this.#map(node) : this.#list(node);
  }

  /** An alias gives the anchor's own object, so a bomb costs nothing here; those who walk the data later would pay. */
  #alias(node: Alias.Parsed): unknown {
    const anchored = this.#anchors.get(node.source);
    const offset = node.range[0];
    if (anchored === undefined) {
      const message = this.#anchors.has(node.source)
        ? `"*${node.source}" stands inside the value that it repeats`
        : `no anchor "&${node.source}" stands before this alias`;
      this.#report("YAML_ALIAS", offset, message, "write the value out, or use a profile");
      return null;
    }
    this.#size += anchored.size;
    this.#aliased += anchored.size;
    if (this.#aliased <= maxAliased) return anchored.value;
    if (this.#aliased - anchored.size <= maxAliased) {
      const message = `aliases blow this document up to more than ${maxAliased} values`;
      this.#report("YAML_ALIAS", offset, message, "use profiles for what zones have in common");
    }
    return null;
  }

  #list(node: YAMLSeq.Parsed): unknown[] {
    const list: unknown[] = [];
    const offsets: number[] = [];
    for (const [index, item] of node.items.entries()) {
      this.#path.push(index);
      list.push(this.#value(item));
      offsets.push(item.range[0]);
      this.#path.pop();
    }
    this.offsets.set(list, trimmed(offsets));
    return list;
  }

  #map(node: YAMLMap.Parsed): Record<string, unknown> {
    const map: Record<string, unknown> = {};
    const offsets: number[] = [];
    let inOrder = true;
    for (const { key, value } of node.items) {
      const name = nameOf(key);
      const offset = key.range[0];
      this.#path.push(name);
      if (this.#isFresh(map, node, name, offset)) {
        map[name] = value === null ? null : this.#value(value);
        offsets.push(offset, value === null ? offset : value.range[0]);
        inOrder &&= !looksLikeIndex.test(name);
      }
      this.#path.pop();
    }
    this.offsets.set(map, trimmed(inOrder ? offsets : offsetsInKeyOrder(map, node)));
    return map;
  }

  #isFresh(map: object, node: YAMLMap.Parsed, name: string, offset: number): boolean {
    if (name === "__proto__") {
      this.#report("UNKNOWN_KEY", offset, "unknown key `__proto__`", "delete it");
      return false;
    }
    if (!Object.hasOwn(map, name)) return true;
    // To look for the first of a million would take hours, and nobody is told of so many.
    if (this.diagnostics.length > maxProblems) return false;
    const first = node.items.find(({ key }) => nameOf(key) === name)?.key.range[0] ?? offset;
    const { line } = placeAt(this.#source, first);
    const message = `the key "${name}" stands here twice, first in line ${line}`;
    this.#report("DUPLICATE_KEY", offset, message, "keep one of the two");
    return false;
  }

  #report(code: DiagnosticCode, offset: number, message: string, remedy: string): void {
    this.diagnostics.push(problemOf(this.#source, code, offset, this.#path, { message, remedy }));
  }
}

/** JavaScript lists such keys before all others, wherever they stand. */
const looksLikeIndex = /^\d+$/;

/** With `stringKeys` every key that is no string has been reported by now. */
function nameOf(key: ParsedNode): string {
  return isScalar(key) ? String(key.value) : "";
}

function offsetsInKeyOrder(map: object, node: YAMLMap.Parsed): number[] {
  const places = new Map<string, readonly [number, number]>();
  for (const { key, value } of node.items) {
    const name = nameOf(key);
    const offset = key.range[0];
    if (!places.has(name)) places.set(name, [offset, value?.range[0] ?? offset]);
  }
  return Object.keys(map).flatMap((name) => places.get(name) ?? []);
}

/** A list that grew holds room for seventeen elements; there are a dozen lists to a zone, for as long as it is declared. */
function trimmed(list: readonly number[]): readonly number[] {
  return list.slice();
}
