import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  type ParsedNode,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";

import { trimmed } from "../../syntax/trimmed.ts";
import type { DiagnosticCode } from "../../zone/diagnostic-codes.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { diagnosticAt, grouped, maxDiagnostics } from "../diagnostics.ts";
import { noParts, type Offsets, partSize, placeAt, type Source } from "../location.ts";

/**
 * The value of a document or of a part of it, and the index of its record in the offsets of the
 * file.
 */
export interface YamlDocument {
  readonly value: unknown;
  readonly record: number;
}

/** The most values that aliases may add to a document; real files add dozens. */
const maxAliased = 100_000;

/** The most entries of one map or list. */
const maxEntries = 20_000;

/** `undefined` while its value is still being read: an alias of it would be a cycle. */
type Anchored = (YamlDocument & { readonly size: number }) | undefined;

/** Converts syntax trees to plain data in one pass, and finds errors that `yaml` does not check. */
export class YamlReader {
  readonly diagnostics: Diagnostic[] = [];
  readonly #source: Source;
  readonly #path: (string | number)[] = [];
  readonly #anchors = new Map<string, Anchored>();
  readonly #offsets: number[] = [];
  /**
   * The record of the value that was read last: to return it with each value would cost an object
   * for each scalar.
   */
  #record = noParts;
  #size = 0;
  #aliased = 0;

  constructor(source: Source) {
    this.#source = source;
  }

  /** The plain data of a document; `null` if it is empty. */
  read(root: ParsedNode | null): YamlDocument {
    this.#anchors.clear();
    this.#aliased = 0;
    this.#record = noParts;
    const value = root === null ? null : this.#value(root);
    return { value, record: this.#record };
  }

  /** The offsets of all documents that were read. */
  offsets(): Offsets {
    return Uint32Array.from(this.#offsets);
  }

  #value(node: ParsedNode): unknown {
    if (isAlias(node)) return this.#alias(node);
    const { anchor } = node;
    const before = this.#size;
    if (anchor !== undefined) this.#anchors.set(anchor, undefined);
    this.#size += 1;
    this.#record = noParts;
    const value = isScalar(node) ? node.value : this.#collection(node);
    if (anchor !== undefined) {
      this.#anchors.set(anchor, { value, record: this.#record, size: this.#size - before });
    }
    return value;
  }

  #collection(node: YAMLMap.Parsed | YAMLSeq.Parsed): unknown {
    if (node.items.length > maxEntries) {
      const message = `this ${isMap(node) ? "map" : "list"} has more than ${grouped(maxEntries)} entries`;
      this.#report("YAML_TOO_LARGE", node.range[0], message, "split it across several files");
      return null;
    }
    return isMap(node) ? this.#map(node) : this.#list(node);
  }

  /**
   * An alias yields the anchor's own object: a bomb costs nothing here, but later code would walk
   * all of it.
   */
  #alias(node: Alias.Parsed): unknown {
    this.#record = noParts;
    const anchored = this.#anchors.get(node.source);
    const offset = node.range[0];
    if (anchored === undefined && looksLikePattern.test(node.source)) {
      const message = `"*${node.source}" without quotes is an alias in YAML`;
      this.#report("YAML_ALIAS", offset, message, `put it in quotes: "*${node.source}"`);
      return null;
    }
    if (anchored === undefined) {
      const message = this.#anchors.has(node.source)
        ? `"*${node.source}" is inside the value that it repeats`
        : `there is no anchor "&${node.source}" before this alias`;
      this.#report("YAML_ALIAS", offset, message, "write the value out, or use a profile");
      return null;
    }
    this.#size += anchored.size;
    this.#aliased += anchored.size;
    if (this.#aliased <= maxAliased) {
      this.#record = anchored.record;
      return anchored.value;
    }
    if (this.#aliased - anchored.size <= maxAliased) {
      const message = `aliases expand this document to more than ${maxAliased} values`;
      this.#report("YAML_ALIAS", offset, message, "use profiles for values that zones share");
    }
    return null;
  }

  #list(node: YAMLSeq.Parsed): unknown {
    const list: unknown[] = [];
    const parts: number[] = [];
    for (const item of node.items) {
      this.#path.push(list.length);
      list.push(this.#value(item));
      parts.push(item.range[0], item.range[0], this.#record);
      this.#path.pop();
    }
    this.#record = this.#keep(parts);
    return trimmed(list);
  }

  #map(node: YAMLMap.Parsed): unknown {
    const map: Record<string, unknown> = {};
    const parts: number[] = [];
    let isInOrder = true;
    for (const { key, value } of node.items) {
      const name = nameOf(key);
      const offset = key.range[0];
      this.#path.push(name);
      if (this.#isFresh(map, node, name, offset)) {
        this.#record = noParts;
        map[name] = value === null ? null : this.#value(value);
        if (isNothing(value)) this.#reportNothing(offset, name);
        parts.push(offset, value === null ? offset : value.range[0], this.#record);
        isInOrder &&= !looksLikeIndex.test(name);
      }
      this.#path.pop();
    }
    this.#record = this.#keep(isInOrder ? parts : inKeyOrder(map, node, parts));
    return map;
  }

  /** Keeps the parts of a map or list, after those of its own parts. Returns their index. */
  #keep(parts: readonly number[]): number {
    const index = this.#offsets.length;
    for (const number of parts) this.#offsets.push(number);
    return index;
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

  /** It can mean an empty list, which deletes, or a list that is not declared, which does not. */
  #reportNothing(offset: number, name: string): void {
    const message = `"${name}" has no value`;
    const remedy =
      "write a value; [] for an empty list, which deletes what zonewarden owns; null to remove what a profile sets; or delete the key, to stop managing it";
    this.#report("EMPTY_VALUE", offset, message, remedy);
  }

  #report(code: DiagnosticCode, offset: number, message: string, remedy: string): void {
    const place = placeAt(this.#source, offset);
    this.diagnostics.push(diagnosticAt(place, { code, message, remedy }, this.#path));
  }
}

/** Whether a key has nothing after it, not even `null`. */
function isNothing(value: ParsedNode | null): boolean {
  return value === null || (isScalar(value) && value.value === null && value.source === "");
}

/** A pattern such as `*.example.com`, and not the name of an anchor. */
const looksLikePattern = /[.*/:]/;

/** JavaScript orders such keys before all others. */
const looksLikeIndex = /^\d+$/;

/** With `stringKeys`, keys that are not strings are syntax errors. */
function nameOf(key: ParsedNode): string {
  return isScalar(key) ? String(key.value) : "";
}

/** Parts that stand in the order of the file, in the order of `Object.keys`. */
function inKeyOrder(map: object, node: YAMLMap.Parsed, parts: readonly number[]): number[] {
  const names = new Set(node.items.map(({ key }) => nameOf(key)));
  const inFile = [...names].filter((name) => Object.hasOwn(map, name));
  const position = new Map(inFile.map((name, index) => [name, index * partSize]));
  return Object.keys(map).flatMap((name) => {
    const start = position.get(name) ?? 0;
    return parts.slice(start, start + partSize);
  });
}
