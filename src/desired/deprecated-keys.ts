import { isJsonObject } from "../syntax/json.ts";
import type { Diagnostic } from "../zone/diagnostic.ts";
import { diagnosticIn } from "./diagnostics.ts";
import { keyOffset, type Located, type Path, pathText, placeAt } from "./location.ts";
import { readYaml, type YamlText } from "./yaml/read-yaml.ts";

/** A key of an older form of a file, which is still read. */
export interface DeprecatedKey {
  readonly file: "zones" | "zonewarden";
  /** From the top of the file to the key; `*` stands for any key or index. */
  readonly path: readonly string[];
  /** The key that stands in its place, in the same map and with the same meaning. */
  readonly replacement: string;
}

/** The keys that `validate` warns of and `validate --fix` replaces. A key stays here for at least one minor version. */
const deprecatedKeys: readonly DeprecatedKey[] = [];

/** A deprecated key in a document. */
interface Found extends Pick<DeprecatedKey, "replacement"> {
  readonly path: Path;
  /** Whether the map has the replacement too, or an earlier key that becomes it, so that nobody knows which of them counts. */
  readonly hasBoth: boolean;
}

/**
 * The documents of a kind of file with the keys of today, and a warning for each deprecated one. The places of all values
 * stay.
 */
export function withKeysOfToday(
  yaml: YamlText,
  file: DeprecatedKey["file"],
  all?: readonly DeprecatedKey[],
): { readonly yaml: YamlText; readonly warnings: readonly Diagnostic[] } {
  const keys = keysOf(file, all);
  if (keys.length === 0) return { yaml, warnings: [] };
  const warnings: Diagnostic[] = [];
  const documents = yaml.documents.map((document) => {
    let { value } = document;
    // The innermost first, so that the path of each is still there when it is renamed.
    const found = allFound(document.value, keys);
    for (const each of found.toSorted((a, b) => b.path.length - a.path.length)) {
      warnings.push(warningOf(each, { ...yaml, ...document }));
      // With both, the old one stays: the schema does not know it, so the file has an error.
      if (!each.hasBoth) value = renamed(value, each.path, each.replacement);
    }
    return { ...document, value };
  });
  return { yaml: { ...yaml, documents }, warnings };
}

/** A text with the keys of today. */
export interface FixedText {
  readonly text: string;
  /** How many keys were replaced. */
  readonly count: number;
  /** Why others were not, in the order of the text. */
  readonly kept: readonly KeptKey[];
}

/** Where a deprecated key stays, and why. */
export interface KeptKey {
  readonly line: number;
  readonly column: number;
  readonly reason: string;
}

/** Replaces deprecated keys in the text of a kind of file, and nothing else: comments and layout stay. */
export function fixedText(
  text: string,
  file: DeprecatedKey["file"],
  all?: readonly DeprecatedKey[],
): FixedText {
  const keys = keysOf(file, all);
  const yaml = readYaml("", text);
  // By offset: an alias repeats a map, so that two paths lead to one key.
  const edits = new Map<number, Edit>();
  const kept = new Map<number, string>();
  for (const document of yaml.diagnostics.length > 0 ? [] : yaml.documents) {
    for (const found of allFound(document.value, keys)) {
      const offset = keyOffset({ ...yaml, ...document }, found.path);
      const old = oldKey(found);
      const start = startOfKey(text, offset, old);
      if (found.hasBoth || start === undefined) kept.set(offset, remedyOf(found));
      else edits.set(start, { start, old, replacement: found.replacement });
    }
  }
  return {
    text: edited(text, [...edits.values()]),
    count: edits.size,
    kept: [...kept].map(([offset, reason]) => {
      const { line, column } = placeAt(yaml.source, offset);
      return { line, column, reason };
    }),
  };
}

function keysOf(
  file: DeprecatedKey["file"],
  all: readonly DeprecatedKey[] = deprecatedKeys,
): readonly DeprecatedKey[] {
  return all.filter((key) => key.file === file);
}

interface Edit extends Pick<DeprecatedKey, "replacement"> {
  readonly start: number;
  readonly old: string;
}

function edited(text: string, edits: readonly Edit[]): string {
  let result = "";
  let at = 0;
  for (const { start, old, replacement } of edits.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(at, start) + replacement;
    at = start + old.length;
  }
  return result + text.slice(at);
}

/** Where the letters of a key begin; `undefined` where it is written in a way that this does not change, as with escapes. */
function startOfKey(text: string, offset: number, key: string): number | undefined {
  if (text.startsWith(key, offset)) return offset;
  const quote = text.charAt(offset);
  const isQuoted = quote === '"' || quote === "'";
  return isQuoted && text.startsWith(`${key}${quote}`, offset + 1) ? offset + 1 : undefined;
}

function oldKey({ path }: Pick<Found, "path">): string {
  return String(path.at(-1));
}

function warningOf(found: Found, document: Located): Diagnostic {
  const { path, replacement } = found;
  const message = `"${oldKey(found)}" is deprecated: it is now "${replacement}"`;
  const remedy = remedyOf(found);
  return diagnosticIn(document, { code: "DEPRECATED_KEY", path, atKey: true, message, remedy });
}

function remedyOf(found: Found): string {
  const { replacement, hasBoth } = found;
  if (hasBoth) return `delete "${oldKey(found)}": "${replacement}" is there too`;
  return `write "${replacement}"; zonewarden validate --fix does it where the key is written plainly`;
}

/** Where deprecated keys are in a value. Of several that would get one name in one map, the first does. */
function allFound(root: unknown, keys: readonly DeprecatedKey[]): readonly Found[] {
  const taken = new Set<string>();
  return keys.flatMap((key) =>
    foundIn(root, key).map((found) => {
      const target = pathText([...found.path.slice(0, -1), found.replacement]);
      const isTaken = taken.has(target);
      taken.add(target);
      return { ...found, hasBoth: found.hasBoth || isTaken };
    }),
  );
}

/** Where a deprecated key is in a value. */
function foundIn(root: unknown, { path, replacement }: DeprecatedKey): readonly Found[] {
  const key = path.at(-1) ?? "";
  return valuesAt(root, path.slice(0, -1)).flatMap(({ path: parent, value }) => {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return [];
    return { path: [...parent, key], replacement, hasBoth: Object.hasOwn(value, replacement) };
  });
}

interface ValueAt {
  readonly path: Path;
  readonly value: unknown;
}

/** The values that a pattern leads to. */
function valuesAt(value: unknown, [step, ...rest]: readonly string[]): readonly ValueAt[] {
  if (step === undefined) return [{ path: [], value }];
  return partsAt(value, step).flatMap(([name, inner]) =>
    valuesAt(inner, rest).map((each) => ({ ...each, path: [name, ...each.path] })),
  );
}

function partsAt(value: unknown, step: string): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return step === "*" ? [...value.entries()] : [];
  if (!isJsonObject(value)) return [];
  return Object.entries(value).filter(([name]) => step === "*" || name === step);
}

/** A copy in which the key at the end of `path` has another name, at the same position. */
function renamed(value: unknown, [step, ...rest]: Path, replacement: string): unknown {
  if (Array.isArray(value)) {
    return value.map((item: unknown, at) =>
      at === step ? renamed(item, rest, replacement) : item,
    );
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (name !== step) return [name, inner];
      return rest.length === 0 ? [replacement, inner] : [name, renamed(inner, rest, replacement)];
    }),
  );
}
