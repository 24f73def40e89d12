import { coerceList, coerceObject, isJsonObject } from "../../syntax/json.ts";
import { type Diagnostic, isError } from "../../zone/diagnostic.ts";
import { diagnosticIn, fileDiagnostic, maxDiagnostics } from "../diagnostics.ts";
import { wrongFile } from "../file-kind.ts";
import {
  isProfile,
  isZoneEntry,
  schemaErrors,
  type Shape,
  zoneFileKind,
  zoneFileShape,
} from "../json-schema.ts";
import { type Located, type Path, pathText } from "../location.ts";
import { isTemplate, textsIn, unfilledIn } from "../template/template.ts";
import { textOf } from "../yaml/decode-text.ts";
import { readYamlInWorker, type WorkerLimits } from "../yaml/read-yaml-in-worker.ts";
import { readYaml, type YamlText } from "../yaml/read-yaml.ts";
import { checkValues } from "../zones/check-values.ts";
import type { FilePart, Layer, ZoneLayer } from "../zones/layer.ts";
import { sections } from "../zones/zone-lists.ts";
import { type Suppression, suppressionsIn } from "./suppressions.ts";
import { ValuePool } from "./value-pool.ts";

/** One version of a zone file by itself, before it is joined with other files. */
export interface ParsedFile {
  /** Relative to the directory. */
  readonly file: string;
  /** Of its bytes. */
  readonly hash: string;
  /** As it was read: redact it before you show it. "" for a file of another kind. */
  readonly text: string;
  /** Whether it has no errors. */
  readonly usable: boolean;
  /** Whether its content was left out, as it has nothing to do with the zones that are loaded. */
  readonly skipped?: boolean;
  /** Profiles and zones that match the schema. */
  readonly profiles: readonly Layer[];
  readonly zones: readonly ZoneLayer[];
  /** Names of the other profiles. */
  readonly invalidProfiles: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  readonly suppressions: readonly Suppression[];
}

const nothing = {
  text: "",
  profiles: [],
  zones: [],
  invalidProfiles: [],
  diagnostics: [],
  suppressions: [],
} as const;

/** A file that could not be read. Its hash is the code of the diagnostic: no content has it. */
export function unreadableFile(file: string, diagnostic: Diagnostic): ParsedFile {
  return { ...nothing, file, hash: diagnostic.code, usable: false, diagnostics: [diagnostic] };
}

/** A file that has nothing to do with the zones that are loaded. */
export function skippedFile(file: string, hash: string): ParsedFile {
  return { ...nothing, file, hash, usable: true, skipped: true };
}

/** Parses a file by itself and checks its syntax, schema and values. */
export function parseZoneFile(file: string, hash: string, bytes: Uint8Array): ParsedFile {
  const text = textOf(file, bytes);
  if (typeof text !== "string") return { ...unreadableFile(file, text), hash };
  return parsed(file, hash, text, readYaml(file, text), new ValuePool());
}

/** Parsing this much text blocks the event loop for a tenth of a second. */
const maxBlockingLength = 256 * 1024;

/** What files that are parsed together share. */
export interface ParseOptions {
  readonly limits: WorkerLimits;
  readonly pool: ValuePool;
}

/**
 * Like {@link parseZoneFile}, but reads a large file on another thread. If that takes too long or
 * too much memory, the result has no hash of the content, so that the next load tries again.
 */
export async function parseZoneFileInWorker(
  file: string,
  hash: string,
  bytes: Uint8Array,
  options: ParseOptions,
  signal: AbortSignal,
): Promise<ParsedFile> {
  const text = textOf(file, bytes);
  if (typeof text !== "string") return { ...unreadableFile(file, text), hash };
  const yaml =
    text.length <= maxBlockingLength
      ? readYaml(file, text)
      : await readYamlInWorker(file, text, options.limits, signal);
  if ("code" in yaml) return unreadableFile(file, yaml);
  return parsed(file, hash, text, yaml, options.pool);
}

function parsed(
  file: string,
  hash: string,
  text: string,
  yaml: YamlText,
  pool: ValuePool,
): ParsedFile {
  const wrong = wrongFile(file, text, yaml, zoneFileKind);
  if (wrong !== undefined) {
    return { ...unreadableFile(file, wrong), hash, text: wrong.code === "FILE_NEWER" ? text : "" };
  }
  // An escape of YAML can write a placeholder too.
  const mayBeTemplate = isTemplate(text) || text.includes("\\");
  const documents = yaml.documents.map(({ record, value }) => ({
    source: yaml.source,
    offsets: yaml.offsets,
    record,
    value: pool.share(value),
  }));
  const read = documents.map((document) => readDocument(document, text, mayBeTemplate));
  const isEmpty = yaml.diagnostics.length === 0 && yaml.documents.length === 0;
  const unfilled = unfilledIn(text).length > 0 ? documents.flatMap(unfilledTexts) : [];
  const found = [...read.flatMap(({ diagnostics }) => diagnostics), ...unfilled];
  // Where no value is allowed, or what belongs into it stands parents it, the schema says more.
  const known = new Set(found.map(({ path }) => path));
  const strays = found.filter(({ code }) => code === "UNKNOWN_KEY");
  const parents = new Set(strays.map(({ path }) => parentOf(path)));
  const diagnostics = [
    ...yaml.diagnostics.filter(
      ({ code, path }) =>
        code !== "EMPTY_VALUE" || !(known.has(path) || parents.has(parentOf(path))),
    ),
    ...(isEmpty ? [fileDiagnostic(file, "FILE_EMPTY", "the file is empty", remedyIfEmpty)] : []),
    ...found,
  ];
  return {
    file,
    hash,
    text,
    usable: !diagnostics.some(isError),
    profiles: read.flatMap(({ profiles }) => profiles),
    zones: read.flatMap(({ zones }) => zones),
    invalidProfiles: read.flatMap(({ invalidProfiles }) => invalidProfiles),
    diagnostics,
    suppressions: suppressionsIn(text),
  };
}

function parentOf(path: string): string {
  return path.replace(/[.[][^.[]*$/, "");
}

const remedyIfEmpty = "write `zones:` with the desired state, or delete the file";

/**
 * Checks a document part by part. After more errors than are reported, the other parts are not
 * read.
 */
function readDocument(
  document: Located,
  text: string,
  mayBeTemplate: boolean,
): Pick<ParsedFile, "profiles" | "zones" | "invalidProfiles" | "diagnostics"> {
  const { profiles, zones } = coerceObject(document.value);
  const skeleton = withoutParts(document.value);
  const diagnostics = [...schemaErrors(zoneFileShape, skeleton, document, [])];
  let errors = diagnostics.length;
  const read = <T>(
    path: Path,
    profile: string | undefined,
    content: unknown,
    shape: Shape<T>,
  ): PartOf<T>[] => {
    if (errors > maxDiagnostics) return [];
    const part = { document, path, profile, content, mayBeTemplate };
    const { valid, diagnostics: found } = readPart(part, shape, text);
    // Not push(...found): a call takes about a hundred thousand arguments.
    for (const diagnostic of found) diagnostics.push(diagnostic);
    errors += found.filter(isError).length;
    return valid;
  };
  const entries = Object.entries(coerceObject(profiles));
  const valid = entries.flatMap(([name, content]) =>
    read(["profiles", name], name, content, isProfile),
  );
  const validNames = new Set(valid.map(({ profile }) => profile));
  return {
    profiles: valid,
    zones: coerceList(zones).flatMap((content, index) =>
      read(["zones", index], undefined, content, isZoneEntry),
    ),
    invalidProfiles: entries.map(([name]) => name).filter((name) => !validNames.has(name)),
    diagnostics,
  };
}

/** A document with empty profiles and without zones. */
function withoutParts(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { profiles, zones } = value;
  const empty = Object.keys(coerceObject(profiles)).map((name): [string, object] => [name, {}]);
  return {
    ...value,
    ...(isJsonObject(profiles) && { profiles: Object.fromEntries(empty) }),
    ...(Array.isArray(zones) && { zones: [] }),
  };
}

type PartOf<T> = FilePart & { readonly content: T };

/**
 * Checks one profile or zone; it is not valid if its content violates the schema by more than
 * unknown keys.
 */
function readPart<T>(
  part: FilePart,
  shape: Shape<T>,
  text: string,
): { readonly valid: PartOf<T>[]; readonly diagnostics: readonly Diagnostic[] } {
  const { content } = part;
  if (shape(content)) {
    return { valid: [{ ...part, content }], diagnostics: checkValues(part, text) };
  }
  const violations = schemaErrors(shape, content, part.document, part.path);
  const unknown = violations.filter(({ code }) => code === "UNKNOWN_KEY").map(({ path }) => path);
  const known = withoutKeys(content, part.path, new Set(unknown));
  const inValues = checkValues({ ...part, content: known }, text).filter(
    (diagnostic) => !violations.some((violation) => covers(violation, diagnostic)),
  );
  return {
    valid: shape(known) ? [{ ...part, content: known }] : [],
    diagnostics: [...violations, ...inValues],
  };
}

/** A copy of a value, which is at `path`, without the keys at the paths `keys`. */
function withoutKeys(value: unknown, path: Path, keys: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => withoutKeys(item, [...path, index], keys));
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !keys.has(pathText([...path, name])))
      .map(([name, inner]) => [name, withoutKeys(inner, [...path, name], keys)]),
  );
}

/** Whether a schema error says that the whole value of another diagnostic is wrong. */
function covers({ code, path }: Diagnostic, { path: inner }: Diagnostic): boolean {
  const isValue = code === "WRONG_VALUE" || code === "WRONG_TYPE";
  return (
    isValue && (inner === path || inner.startsWith(`${path}.`) || inner.startsWith(`${path}[`))
  );
}

/**
 * Texts of a document that look like placeholders without their dollar or braces, and are used as
 * they are written.
 */
function unfilledTexts(document: Located): readonly Diagnostic[] {
  return (
    textsIn(document.value)
      // `zones`, the index and the section; or `profiles`, the name and the section.
      .filter(({ path: [, , section = ""] }) => section === "vars" || sections.has(section))
      .flatMap(({ path, text }) =>
        unfilledIn(text).map((found) =>
          diagnosticIn(document, { code: "UNFILLED_TEXT", path, ...found }),
        ),
      )
  );
}
