import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  type ParsedNode,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";

import type { DiagnosticCode } from "../../zone/diagnostic-codes.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { diagnosticAt, maxDiagnostics } from "../diagnostics.ts";
import { placeAt, type Source } from "../location.ts";

/** The most values that aliases may add to a document; real files add dozens. */
const maxAliased = 100_000;

/** `undefined` while its value is still being read: an alias of it would be a cycle. */
type Anchored = { readonly value: unknown; readonly size: number } | undefined;

/** Converts syntax trees to plain data in one pass, and finds errors that `yaml` does not check. */
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

  /** The plain data of a document; `null` if it is empty. */
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

  /** An alias yields the anchor's own object: a bomb costs nothing here, but later code would walk all of it. */
  #alias(node: Alias.Parsed): unknown {
    const anchored = this.#anchors.get(node.source);
    const offset = node.range[0];
    if (anchored === undefined) {
      const message = this.#anchors.has(node.source)
        ? `"*${node.source}" is inside the value that it repeats`
        : `there is no anchor "&${node.source}" before this alias`;
      this.#report("YAML_ALIAS", offset, message, "write the value out, or use a profile");
      return null;
    }
    this.#size += anchored.size;
    this.#aliased += anchored.size;
    if (this.#aliased <= maxAliased) return anchored.value;
    if (this.#aliased - anchored.size <= maxAliased) {
      const message = `aliases expand this document to more than ${maxAliased} values`;
      this.#report("YAML_ALIAS", offset, message, "use profiles for values that zones share");
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
    // Finding the first of a million keys takes hours, and so many diagnostics are not reported.
    if (this.diagnostics.length > maxDiagnostics) return false;
    const first = node.items.find(({ key }) => nameOf(key) === name)?.key.range[0] ?? offset;
    const { line } = placeAt(this.#source, first);
    const message = `the key "${name}" is repeated, first in line ${line}`;
    this.#report("DUPLICATE_KEY", offset, message, "keep one of the two");
    return false;
  }

  #report(code: DiagnosticCode, offset: number, message: string, remedy: string): void {
    const place = placeAt(this.#source, offset);
    this.diagnostics.push(diagnosticAt(place, { code, message, remedy }, this.#path));
  }
}

/** JavaScript orders such keys before all others. */
const looksLikeIndex = /^\d+$/;

/** With `stringKeys`, keys that are not strings are syntax errors. */
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

/** Without the spare capacity of a list that grew: each declared zone keeps a dozen of these lists. */
function trimmed(list: readonly number[]): readonly number[] {
  return list.slice();
}
