import type { ZoneDocument } from "../../zone/desired-zone.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { Assembler } from "../zones/assemble.ts";
import { keyPlace, problemIn } from "../zones/layer.ts";
import type { Layer } from "../zones/layer.ts";
import { Profiles } from "../zones/profiles.ts";
import { labelOf } from "../zones/target.ts";
import type { ParsedFile, ZoneLayer } from "./parse-zone-file.ts";

/** A file of one reading: `current` is what lies there; `effective` what counts, its last good version. */
export interface Taken {
  readonly current: ParsedFile;
  /** `undefined` where the file never was good. */
  readonly effective: ParsedFile | undefined;
}

/** The layers of a declared zone, the zone itself last. */
export interface TraceEntry {
  readonly label: string;
  readonly layers: readonly Layer[];
}

/** All files together. */
export interface Joined {
  readonly documents: readonly ZoneDocument[];
  /** By file, to fall back on when the file breaks. */
  readonly documentsOf: ReadonlyMap<string, readonly ZoneDocument[]>;
  readonly diagnostics: readonly Diagnostic[];
  readonly stale: readonly string[];
  readonly trace: readonly TraceEntry[];
}

/** What zones came to the last time, by the layer of the zone itself. */
export type Memory = WeakMap<Layer, Entry>;

/** What the zones of one file came to. */
interface FileResult {
  readonly file: string;
  /** Whether what lies there is what counts. */
  readonly fresh: boolean;
  readonly entries: readonly Entry[];
}

/** A declared zone with its profiles; no document where something is wrong. */
export interface Entry {
  readonly zone: Layer;
  /** `undefined` for a selector, or where the name is none. */
  readonly label: string | undefined;
  readonly layers: readonly Layer[];
  readonly document: ZoneDocument | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Brings profiles and zones of all files together. The zones of a file in which something is wrong stay what
 * they last were: `lastDocuments`.
 */
export function joinFiles(
  taken: readonly Taken[],
  lastDocuments: (file: string) => readonly ZoneDocument[],
  memory: Memory,
): Joined {
  const missing = taken.filter(({ effective }) => !effective).map(({ current }) => current.file);
  const layers = taken.flatMap(({ effective }) => effective?.profiles ?? []);
  const profiles = new Profiles(layers, missing);
  const results = resultsOf(taken, profiles, memory);
  const fresh = results.filter((result) => result.fresh);
  const freshNames = new Set(fresh.map(({ file }) => file));
  const profileProblems = [
    ...profiles.diagnostics(),
    ...(missing.length > 0 ? [] : profiles.unused()),
  ].filter(({ place }) => freshNames.has(place.file));
  const diagnostics = [
    ...profileProblems,
    ...fresh.flatMap(({ entries }) => entries.flatMap((entry) => entry.diagnostics)),
    ...zonesTwice(fresh.flatMap(({ entries }) => entries)),
  ];
  const stale = staleFiles(results, diagnostics);
  const documentsOf = new Map(
    results.map(({ file, entries }) => [
      file,
      isSound(entries) && !stale.broken.has(file)
        ? entries.flatMap(({ document }) => document ?? [])
        : lastDocuments(file),
    ]),
  );
  return {
    documents: withoutRepeats(documentsOf, stale.all),
    documentsOf,
    diagnostics: unique([
      ...taken.flatMap(({ current }) => current.diagnostics),
      ...diagnostics,
      ...draftProblems(taken),
    ]),
    stale: [...stale.all],
    trace: results.flatMap(({ entries }) => entries.flatMap(traceOf)),
  };
}

/**
 * What else is wrong in files that cannot be taken as they lie there: found by merging what is right in them, and
 * told with the rest. Nothing else comes of it.
 */
function draftProblems(taken: readonly Taken[]): readonly Diagnostic[] {
  const drafts = taken
    .filter(({ current, effective }) => current !== effective)
    .map(({ current }) => current);
  if (!drafts.some(({ zones, profiles }) => zones.length + profiles.length > 0)) return [];
  const unread = taken.filter(({ current }) => isUnread(current));
  const layers = taken.flatMap(({ current, effective }) =>
    isUnread(current) ? (effective?.profiles ?? []) : current.profiles,
  );
  const profiles = new Profiles(
    layers,
    unread.map(({ current }) => current.file),
    taken.flatMap(({ current }) => current.withheld),
  );
  const assembler = new Assembler();
  const inZones = drafts.flatMap(({ zones }) =>
    zones.flatMap((zone) => {
      const {
        layers: stack,
        diagnostics,
        broken,
      } = profiles.stackFor(zone, zone.content.profiles ?? []);
      return broken
        ? diagnostics
        : [...diagnostics, ...assembler.assemble(zone, stack).diagnostics];
    }),
  );
  const files = new Set(drafts.map(({ file }) => file));
  return [...profiles.diagnostics(), ...inZones].filter(({ place }) => files.has(place.file));
}

/** Whether nothing at all of a file could be read. */
function isUnread({ usable, zones, profiles, withheld }: ParsedFile): boolean {
  return !usable && zones.length + profiles.length + withheld.length === 0;
}

function resultsOf(
  taken: readonly Taken[],
  profiles: Profiles,
  memory: Memory,
): readonly FileResult[] {
  const assembler = new Assembler();
  return taken.map(({ current, effective }) => ({
    file: current.file,
    fresh: current === effective,
    entries: (effective?.zones ?? []).map((zone) => entryOf(zone, profiles, assembler, memory)),
  }));
}

/** A zone whose layers are those of the last time is what it was the last time. */
function entryOf(zone: ZoneLayer, profiles: Profiles, assembler: Assembler, memory: Memory): Entry {
  const { layers, diagnostics, broken } = profiles.stackFor(zone, zone.content.profiles ?? []);
  const known = memory.get(zone);
  if (!broken && known !== undefined && isSame(known.layers, layers)) return known;
  const { target, document, diagnostics: found } = assembler.assemble(zone, layers);
  const entry: Entry = {
    zone,
    label: target === undefined || target.by === "selector" ? undefined : labelOf(target),
    layers,
    document: broken ? undefined : document,
    diagnostics: [...diagnostics, ...found],
  };
  if (broken) memory.delete(zone);
  else memory.set(zone, entry);
  return entry;
}

function isSame(a: readonly Layer[], b: readonly Layer[]): boolean {
  return a.length === b.length && a.every((layer, index) => layer === b[index]);
}

function isSound(entries: readonly Entry[]): boolean {
  return entries.every(({ document }) => document !== undefined);
}

interface Stale {
  /** Files of which something is wrong with the others, and not by itself. */
  readonly broken: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
}

function staleFiles(results: readonly FileResult[], diagnostics: readonly Diagnostic[]): Stale {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const broken = new Set(errors.map(({ place }) => place.file));
  const others = results.filter(({ fresh, entries }) => !fresh || !isSound(entries));
  return { broken, all: new Set([...broken, ...others.map(({ file }) => file)]) };
}

/** Zones that stand in the files as they lie there more than once, by the same name or id. */
function zonesTwice(entries: readonly Entry[]): readonly Diagnostic[] {
  const groups = Map.groupBy(entries, ({ label }) => label);
  return [...groups].flatMap(([label, [first, second, ...others]]) => {
    if (label === undefined || first === undefined || second === undefined) return [];
    return [first, second, ...others].map((entry) => {
      const { zone: other } = entry === first ? second : first;
      const { file, line } = keyPlace({ layer: other, path: other.path });
      const message = `the zone ${label} is declared in ${file}, line ${line}, too`;
      const remedy = "keep one of the two; what they have in common can be a profile";
      return problemIn(entry.zone, [], "ZONE_TWICE", { message, remedy });
    });
  });
}

/** A file that is not up to date may name a zone that has moved to another one since: the other one counts. */
function withoutRepeats(
  documentsOf: ReadonlyMap<string, readonly ZoneDocument[]>,
  stale: ReadonlySet<string>,
): readonly ZoneDocument[] {
  const taken = new Set<string>();
  for (const [file, documents] of documentsOf) {
    if (!stale.has(file)) for (const { target } of documents) taken.add(labelOf(target));
  }
  return [...documentsOf].flatMap(([file, documents]) =>
    documents.filter(({ target }) => {
      if (!stale.has(file) || target.by === "selector") return true;
      const isNew = !taken.has(labelOf(target));
      taken.add(labelOf(target));
      return isNew;
    }),
  );
}

function traceOf({ layers, document }: Entry): readonly TraceEntry[] {
  return document === undefined ? [] : [{ label: labelOf(document.target), layers }];
}

/** What is wrong in a profile is found again in each zone that takes it in. */
function unique(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const byText = new Map(
    diagnostics.map((diagnostic) => {
      const { file, line, column } = diagnostic.place;
      return [`${file}:${line}:${column} ${diagnostic.code} ${diagnostic.message}`, diagnostic];
    }),
  );
  return [...byText.values()];
}
