import { createHash } from "node:crypto";

import { isJsonObject, coerceObject } from "../../syntax/json.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { maxProblems, problemOfFile } from "../diagnostics.ts";
import { foreignProblem, shownText } from "../file-kind.ts";
import { type CoercedPart, itemsAt, valueAt } from "../import/coerce.ts";
import {
  type Shape,
  isProfile,
  isZoneEntry,
  shapeProblems,
  zoneFileShape,
  zoneFileSort,
} from "../json-schema.ts";
import { keyProblems } from "../key-problems.ts";
import type { Located } from "../location.ts";
import { pruned } from "../prune.ts";
import { textOf } from "../yaml/decode-text.ts";
import { type Reader, longestReadingMs, readYamlInWorker } from "../yaml/read-yaml-in-worker.ts";
import { type YamlText, readYaml } from "../yaml/read-yaml.ts";
import { meaningProblems } from "../zones/check-values.ts";
import type { Layer } from "../zones/layer.ts";
import type { ZoneEntry } from "../zones/zone-file.ts";
import { type Suppression, suppressionsIn } from "./suppressions.ts";

/** An entry of `zones:` as it stands in its file. */
export interface ZoneLayer extends Layer {
  readonly content: ZoneEntry;
}

/** A file by itself: what it says, before profiles of other files come in. */
export interface ParsedFile {
  /** Relative to the directory. */
  readonly file: string;
  /** Of its bytes. */
  readonly hash: string;
  /** For problems that are shown with their line: what may be shown of it. */
  readonly text: string;
  /** Whether nothing in it is an error. */
  readonly usable: boolean;
  /** Profiles and zones whose shape is right. */
  readonly profiles: readonly Layer[];
  readonly zones: readonly ZoneLayer[];
  /** Names of the other profiles. */
  readonly withheld: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  readonly silences: readonly Suppression[];
}

/** The hash by which two versions of a file are told apart. */
export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A file that could not even be read. Its hash is what is wrong with it. */
export function unusableFile(file: string, diagnostic: Diagnostic): ParsedFile {
  const nothing = { profiles: [], zones: [], withheld: [], silences: [] };
  return {
    file,
    hash: diagnostic.code,
    text: "",
    usable: false,
    diagnostics: [diagnostic],
    ...nothing,
  };
}

/** Reads one file by itself: syntax, schema, and the meaning of each value. */
export function parseFile(file: string, hash: string, bytes: Uint8Array): ParsedFile {
  const { text, diagnostic } = textOf(file, bytes);
  if (text === undefined) return { ...unusableFile(file, diagnostic), hash };
  return parsed(file, hash, text, readYaml(file, text));
}

/** So much text holds everything else up for a tenth of a second; more is read aside. */
const mostAtOnce = 256 * 1024;

/**
 * Like {@link parseFile}, without holding up everything else for as long as a large file takes. One that takes minutes, or
 * more memory than there is, is given up, and has no hash of its content: it is not known, and tried again.
 */
export async function parseFileInWorker(
  file: string,
  hash: string,
  bytes: Uint8Array,
  reader: Reader,
  signal: AbortSignal,
): Promise<ParsedFile> {
  const { text } = textOf(file, bytes);
  if (text === undefined || text.length <= mostAtOnce) return parseFile(file, hash, bytes);
  const aside = await readYamlInWorker(file, text, reader, signal);
  switch (aside.result) {
    case "read":
      return parsed(file, hash, text, aside.yaml);
    case "late":
      return unusableFile(file, tooSlow(file));
    case "failed":
      return unusableFile(file, tooCostly(file, aside.error));
  }
}

function tooSlow(file: string): Diagnostic {
  return problemOfFile(file, "FILE_TOO_SLOW", {
    message: `the file was not read within ${longestReadingMs / 60_000} min, and was given up`,
    remedy: "divide it among smaller files, or give the program more CPU; it is tried again",
  });
}

function tooCostly(file: string, error: Error): Diagnostic {
  const isMemory = "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
  return problemOfFile(file, "FILE_TOO_COSTLY", {
    message: isMemory
      ? "the file takes more memory to be read than the program has"
      : `the file was not read to its end: ${error.message}`,
    remedy: "divide it among smaller files, or give the program more memory; it is tried again",
  });
}

function parsed(file: string, hash: string, text: string, yaml: YamlText): ParsedFile {
  const foreign = foreignProblem(file, text, yaml, zoneFileSort);
  if (foreign !== undefined) return { ...unusableFile(file, foreign), hash };
  const readings = yaml.documents.map((value) =>
    readDocument({ source: yaml.source, offsets: yaml.offsets, value }, text),
  );
  const isEmpty = yaml.diagnostics.length === 0 && yaml.documents.length === 0;
  const diagnostics = [
    ...yaml.diagnostics,
    ...(isEmpty ? [saysNothing(file)] : []),
    ...readings.flatMap((reading) => reading.diagnostics),
  ];
  const usable = diagnostics.every(({ severity }) => severity !== "error");
  return {
    file,
    hash,
    text: shownText(text, zoneFileSort),
    usable,
    profiles: readings.flatMap(({ profiles }) => profiles),
    zones: readings.flatMap(({ zones }) => zones),
    withheld: readings.flatMap(({ withheld }) => withheld),
    diagnostics: capped(file, diagnostics),
    silences: suppressionsIn(text),
  };
}

function capped(file: string, diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  if (diagnostics.length <= maxProblems) return diagnostics;
  const words = {
    message: `the file has more than ${maxProblems} problems; these are the first`,
    remedy: "mend these first",
  };
  return [...diagnostics.slice(0, maxProblems), problemOfFile(file, "TOO_MANY_PROBLEMS", words)];
}

type Reading = Pick<ParsedFile, "profiles" | "zones" | "withheld" | "diagnostics">;

function readDocument(document: Located, text: string): Reading {
  const { value } = document;
  if (!zoneFileShape(value)) return readAskew(document, text);
  const profiles = Object.entries(value.profiles ?? {}).map(([name, content]) =>
    profileLayer(document, name, content),
  );
  const zones = (value.zones ?? []).map((content, index) => zoneLayer(document, index, content));
  const diagnostics = untilTooMany([...profiles, ...zones], (part) => partProblems(part, text));
  return { profiles, zones, withheld: [], diagnostics };
}

/** A document of the wrong shape: what is right in it is read all the same, so that all problems come at once. */
function readAskew(whole: Located, text: string): Reading {
  const shape = shapeProblemsOf(whole);
  const names = Object.keys(coerceObject(valueAt(whole.value, "profiles")));
  if (shape.length > maxProblems) {
    return { profiles: [], zones: [], withheld: names, diagnostics: shape };
  }
  const unknown = shape.filter(({ code }) => code === "UNKNOWN_KEY").map(({ path }) => path);
  const document = pruned(whole, new Set(unknown));
  const allProfiles = profilesIn(document);
  const allZones = zonesIn(document);
  const inside = untilTooMany([...allProfiles, ...allZones], (part) =>
    partProblems(part, text).filter(
      (diagnostic) => !shape.some((told) => isToldBy(told, diagnostic)),
    ),
  );
  const profiles = allProfiles.filter((part) => hasContent(part, isProfile));
  const known = new Set(profiles.map(({ profile }) => profile));
  return {
    profiles,
    zones: allZones.filter((part) => hasContent(part, isZoneEntry)),
    withheld: names.filter((name) => !known.has(name)),
    diagnostics: [...shape, ...inside],
  };
}

/** Part by part: the time that a schema takes to tell of all errors grows with their square. */
function shapeProblemsOf(document: Located): readonly Diagnostic[] {
  return [
    ...shapeProblems(zoneFileShape, frameOf(document.value), document, []),
    ...untilTooMany(profilesIn(document), ({ content, path }) =>
      shapeProblems(isProfile, content, document, path),
    ),
    ...untilTooMany(zonesIn(document), ({ content, path }) =>
      shapeProblems(isZoneEntry, content, document, path),
    ),
  ];
}

/** A document without what its profiles and zones say. */
function frameOf(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { profiles, zones } = value;
  const named = Object.keys(coerceObject(profiles)).map((name) => [name, {}] as const);
  return {
    ...value,
    ...(isJsonObject(profiles) && { profiles: Object.fromEntries<object>(named) }),
    ...(Array.isArray(zones) && { zones: [] }),
  };
}

/** Problems of `parts`; where more errors are found than are told, nobody looks for others. */
function untilTooMany<P>(
  parts: readonly P[],
  problemsIn: (part: P) => readonly Diagnostic[],
): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  let errors = 0;
  for (const diagnostic of Iterator.from(parts).flatMap(problemsIn)) {
    diagnostics.push(diagnostic);
    if (diagnostic.severity === "error") errors += 1;
    if (errors > maxProblems) break;
  }
  return diagnostics;
}

function profilesIn(document: Located): readonly InProfile<unknown>[] {
  return Object.entries(coerceObject(valueAt(document.value, "profiles"))).map(([name, content]) =>
    profileLayer<unknown>(document, name, content),
  );
}

function zonesIn(document: Located): readonly InZones<unknown>[] {
  return itemsAt(document.value, "zones").map((content, index) =>
    zoneLayer<unknown>(document, index, content),
  );
}

/** Whether a value of the wrong kind is all there is to say of it. */
function isToldBy({ code, path }: Diagnostic, { path: inner }: Diagnostic): boolean {
  const isValue = code === "WRONG_VALUE" || code === "WRONG_TYPE";
  return (
    isValue && (inner === path || inner.startsWith(`${path}.`) || inner.startsWith(`${path}[`))
  );
}

function hasContent<P extends CoercedPart, T>(
  part: P,
  shape: Shape<T>,
): part is P & { readonly content: T } {
  return shape(part.content);
}

function partProblems(part: CoercedPart, text: string): readonly Diagnostic[] {
  return [...keyProblems(part), ...meaningProblems(part, text)];
}

interface InProfile<T> extends CoercedPart {
  readonly profile: string;
  readonly content: T;
}

function profileLayer<T>(document: Located, name: string, content: T): InProfile<T> {
  return { document, path: ["profiles", name], profile: name, content };
}

interface InZones<T> extends CoercedPart {
  readonly profile: undefined;
  readonly content: T;
}

function zoneLayer<T>(document: Located, index: number, content: T): InZones<T> {
  return { document, path: ["zones", index], profile: undefined, content };
}

function saysNothing(file: string): Diagnostic {
  return problemOfFile(file, "FILE_EMPTY", {
    message: "the file says nothing",
    remedy: "write `zones:` with what shall be, or delete the file",
  });
}
