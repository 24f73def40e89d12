import { didYouMean } from "../../syntax/nearest.ts";
import type { ZoneDocument } from "../../zone/desired-zone.ts";
import type { DiagnosticCode } from "../../zone/diagnostic-codes.ts";
import { type Diagnostic, isError } from "../../zone/diagnostic.ts";
import { internalError } from "../../zone/internal-error.ts";
import type { Lint } from "../lint.ts";
import { keyPlace } from "../location.ts";
import { filledText } from "../template/fill-zone.ts";
import { diagnosticInPart, type Layer, type TraceEntry, type ZoneLayer } from "../zones/layer.ts";
import { type MergedEntry, ZoneMerger } from "../zones/merge-zone.ts";
import { Profiles } from "../zones/profiles.ts";
import { labelOf } from "../zones/target.ts";
import type { ParsedFile } from "./parse-zone-file.ts";

/** A file in its current version, and what to use if that is broken. */
export interface FileVersions {
  readonly current: ParsedFile;
  /**
   * The last version without errors of its own, `current` if it has none; `undefined` if there
   * never was one.
   */
  readonly good: ParsedFile | undefined;
  /** Whether `good` comes from the state, and this process never found it on the disk. */
  readonly isRestored: boolean;
  /** What its zones were when they last had no errors. */
  readonly lastDocuments: readonly ZoneDocument[];
}

/** All files together. */
export interface JoinedFiles {
  readonly documents: readonly ZoneDocument[];
  /** By file: the `lastDocuments` of the next time. */
  readonly documentsOf: ReadonlyMap<string, readonly ZoneDocument[]>;
  readonly diagnostics: readonly Diagnostic[];
  /** Files whose current version is not used. */
  readonly stale: readonly string[];
  readonly trace: readonly TraceEntry[];
}

/** Merged zones of earlier loads, by the layer of the zone itself. */
export type ZoneCache = WeakMap<Layer, MergedZone>;

/** A declared zone with its profiles. */
export interface MergedZone {
  readonly zone: Layer;
  /** `undefined` for a selector or an invalid name. */
  readonly label: string | undefined;
  readonly layers: readonly Layer[];
  /** `undefined` if there is an error. */
  readonly document: ZoneDocument | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** The variables whose values are in its texts; `undefined` if there is an error. */
  readonly used: ReadonlySet<string> | undefined;
}

/**
 * Merges profiles into the zones of all files. A file with errors counts with its last good
 * version; if its zones have errors once they are merged, with its last documents.
 */
export function joinZoneFiles(
  files: readonly FileVersions[],
  cache: ZoneCache,
  lint: Lint,
  bug: (error: unknown) => void,
): JoinedFiles {
  const unusable = files.filter(({ good }) => good === undefined);
  const profiles = new Profiles(
    files.flatMap(({ good }) => good?.profiles ?? []),
    unusable.map(({ current }) => current.file),
  );
  const merger = new ZoneMerger();
  const restored = new Set(
    files.filter(({ isRestored }) => isRestored).map(({ current }) => current.file),
  );
  const merged = files.map((versions) => ({
    ...versions,
    file: versions.current.file,
    isCurrent: versions.current === versions.good,
    zones: (versions.good?.zones ?? []).map((zone) =>
      mergeZone(zone, profiles, merger, cache, bug),
    ),
  }));
  const currentZones = merged.filter(({ isCurrent }) => isCurrent).flatMap(({ zones }) => zones);
  const currentFiles = new Set(merged.filter((each) => each.isCurrent).map(({ file }) => file));
  const isWhole = unusable.length === 0 && files.every(({ current }) => current.skipped !== true);
  const inProfiles = [...profiles.diagnostics(), ...(isWhole ? profiles.unused() : [])].filter(
    ({ place }) => currentFiles.has(place.file),
  );
  const diagnostics = lint([
    ...inProfiles,
    ...currentZones.flatMap((zone) => zone.diagnostics),
    ...unusedVariables(
      merged.flatMap(({ zones }) => zones),
      isWhole,
    ).filter(({ place }) => currentFiles.has(place.file)),
    ...repeatedZones(currentZones),
  ]);
  const withErrors = new Set(diagnostics.filter(isError).map(({ place }) => place.file));
  const results = merged.map(({ file, isCurrent, zones, lastDocuments }): FileResult => {
    const documents = zones.flatMap(({ document, layers }): readonly ZoneDocument[] => {
      if (document === undefined) return [];
      const isRestored = layers.some((layer) => restored.has(layer.document.source.file));
      return [isRestored ? { ...document, isRestored } : document];
    });
    const isSound = documents.length === zones.length && !withErrors.has(file);
    return {
      file,
      isStale: !isCurrent || !isSound,
      documents: isSound ? documents : lastDocuments,
    };
  });
  return {
    documents: withoutRepeats(results),
    documentsOf: new Map(results.map(({ file, documents }) => [file, documents])),
    diagnostics: withoutDuplicates(
      [
        ...files.flatMap(({ current }) => current.diagnostics),
        ...diagnostics,
        ...lint(diagnosticsOfBroken(files, bug)),
      ],
      currentZones,
    ),
    stale: results.filter(({ isStale }) => isStale).map(({ file }) => file),
    trace: merged.flatMap(({ zones }) => zones.flatMap(traceOf)),
  };
}

interface FileResult {
  readonly file: string;
  readonly isStale: boolean;
  readonly documents: readonly ZoneDocument[];
}

/** Reuses the merged zone of an earlier load if its layers are the same. */
function mergeZone(
  zone: ZoneLayer,
  profiles: Profiles,
  merger: ZoneMerger,
  cache: ZoneCache,
  bug: (error: unknown) => void,
): MergedZone {
  const { layers, diagnostics, broken } = profiles.stackFor(zone, zone.content.profiles ?? []);
  const known = cache.get(zone);
  if (!broken && known !== undefined && isSame(known.layers, layers)) return known;
  const { target, document, diagnostics: found, used } = mergeOrReport(zone, layers, merger, bug);
  const merged: MergedZone = {
    zone,
    label: target === undefined || target.by === "selector" ? undefined : labelOf(target),
    layers,
    document: broken ? undefined : document,
    diagnostics: [
      ...diagnostics,
      ...found.filter(({ code }) => !(broken && mayBeInProfile.has(code))),
    ],
    used: broken || document === undefined ? undefined : used,
  };
  if (broken) cache.delete(zone);
  else cache.set(zone, merged);
  return merged;
}

/** An exception concerns this zone only: the others go on. */
function mergeOrReport(
  zone: ZoneLayer,
  layers: readonly Layer[],
  merger: ZoneMerger,
  bug: (error: unknown) => void,
): MergedEntry {
  try {
    return merger.merge(zone, layers);
  } catch (error) {
    bug(error);
    const diagnostic = internalError(error, keyPlace(zone.document, zone.path));
    return { target: undefined, document: undefined, diagnostics: [diagnostic], used: new Set() };
  }
}

/** What a missing or broken profile may have prevented. */
const mayBeInProfile: ReadonlySet<string> = new Set<DiagnosticCode>([
  "MISSING_KEY",
  "UNKNOWN_ORDER",
  "SKIP_WITHOUT_EFFECT",
  "UNSET_VARIABLE",
  "EMPTY_VALUE",
]);

function isSame(a: readonly Layer[], b: readonly Layer[]): boolean {
  return a.length === b.length && a.every((layer, index) => layer === b[index]);
}

/** Errors of broken files that only merging shows, so that all of them are reported at once. */
function diagnosticsOfBroken(
  files: readonly FileVersions[],
  bug: (error: unknown) => void,
): readonly Diagnostic[] {
  const broken = files.filter(({ current, good }) => current !== good);
  if (broken.every(({ current }) => hasNoParts(current))) return [];
  const unreadable = broken.filter(({ current }) => hasNoParts(current));
  const profiles = new Profiles(
    files.flatMap((versions) => {
      const { current, good } = versions;
      return unreadable.includes(versions) ? (good?.profiles ?? []) : current.profiles;
    }),
    unreadable.map(({ current }) => current.file),
    files.flatMap(({ current }) => current.invalidProfiles),
  );
  const merger = new ZoneMerger();
  const cache: ZoneCache = new WeakMap();
  const zones = broken.flatMap(({ current }) =>
    current.zones.map((zone) => mergeZone(zone, profiles, merger, cache, bug)),
  );
  const names = new Set(broken.map(({ current }) => current.file));
  return [...profiles.diagnostics(), ...zones.flatMap((zone) => zone.diagnostics)].filter(
    // A broken file itself tells its keys without values.
    ({ code, place }) => names.has(place.file) && code !== "EMPTY_VALUE",
  );
}

function hasNoParts({ zones, profiles, invalidProfiles }: ParsedFile): boolean {
  return zones.length + profiles.length + invalidProfiles.length === 0;
}

/**
 * Warns about variables that no text uses: a zone's own, and those of profiles that no zone of them
 * uses.
 */
function unusedVariables(zones: readonly MergedZone[], isWhole: boolean): readonly Diagnostic[] {
  const uses = new Map<Layer, { readonly names: Set<string>; isKnown: boolean }>();
  const others = new Map<Layer, Set<string>>();
  for (const { layers, used } of zones) {
    const all = layers.flatMap(({ content }) => Object.keys(content.vars ?? {}));
    if (all.length === 0) continue;
    for (const layer of layers) {
      const known = uses.get(layer) ?? { names: new Set(), isKnown: true };
      known.isKnown &&= used !== undefined && (isWhole || layer.profile === undefined);
      for (const name of used ?? []) known.names.add(name);
      uses.set(layer, known);
      const nearby = others.get(layer) ?? new Set<string>();
      for (const name of all) nearby.add(name);
      others.set(layer, nearby);
    }
  }
  return [...uses].flatMap(([layer, { names, isKnown }]) => {
    const unused = isKnown
      ? Object.entries(layer.content.vars ?? {}).filter(
          ([name, value]) => value !== null && !names.has(name),
        )
      : [];
    return unused.map(([name]) => {
      const guess = didYouMean(
        name,
        [...(others.get(layer) ?? [])].filter((each) => each !== name),
      );
      const who = layer.profile === undefined ? "the zone" : "a zone of this profile";
      return diagnosticInPart(layer, {
        code: "UNUSED_VARIABLE",
        path: ["vars", name],
        atKey: true,
        message: `no text of ${who} uses the variable "${name}"`,
        remedy: guess || "delete it, or use it in a text with a placeholder",
      });
    });
  });
}

/** Current files must not declare a zone twice by the same name or id. */
function repeatedZones(zones: readonly MergedZone[]): readonly Diagnostic[] {
  const groups = Map.groupBy(zones, ({ label }) => label);
  return [...groups].flatMap(([label, [first, second, ...others]]) => {
    if (label === undefined || first === undefined || second === undefined) return [];
    return [first, second, ...others].map(({ zone }) => {
      const { zone: other } = zone === first.zone ? second : first;
      const { file, line } = keyPlace(other.document, other.path);
      const message = `the zone ${label} is also declared in ${file}, line ${line}`;
      const remedy = "keep one of the two; put common values into a profile";
      return diagnosticInPart(zone, { code: "ZONE_TWICE", path: [], message, remedy });
    });
  });
}

/** A stale file may declare a zone that has moved to another file since: the other file counts. */
function withoutRepeats(results: readonly FileResult[]): readonly ZoneDocument[] {
  const labels = new Set(
    results
      .filter(({ isStale }) => !isStale)
      .flatMap(({ documents }) => documents.map(({ target }) => labelOf(target))),
  );
  return results.flatMap(({ isStale, documents }) =>
    documents.filter(({ target }) => {
      if (!isStale || target.by === "selector") return true;
      const label = labelOf(target);
      const isNew = !labels.has(label);
      labels.add(label);
      return isNew;
    }),
  );
}

function traceOf({ layers, document }: MergedZone): readonly TraceEntry[] {
  return document === undefined ? [] : [{ target: document.target, layers }];
}

/** Each zone of a profile finds the errors of the profile again: they are reported once, with the number of these zones. */
function withoutDuplicates(
  diagnostics: readonly Diagnostic[],
  zones: readonly MergedZone[],
): readonly Diagnostic[] {
  const counts = Map.groupBy(
    zones.flatMap((zone) => [...new Set(zone.diagnostics.map(identityText))]),
    (text) => text,
  );
  const byText = new Map<string, Diagnostic>();
  for (const diagnostic of diagnostics) {
    const text = identityText(diagnostic);
    const count = counts.get(text)?.length ?? 0;
    const counted = count > 1 ? { ...diagnostic, zones: count } : diagnostic;
    if (!byText.has(text)) byText.set(text, counted);
  }
  return [...byText.values()];
}

/** Equal for the same mistake at the same place, whatever the zone has filled in. */
function identityText({ place: { file, line, column }, code, message }: Diagnostic): string {
  const [before] = message.split(filledText);
  return `${file}:${line}:${column} ${code} ${before}`;
}
