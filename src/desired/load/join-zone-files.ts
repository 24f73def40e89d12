import type { Json, JsonObject } from "../../syntax/json.ts";
import { isJsonObject } from "../../syntax/json.ts";
import { didYouMean } from "../../syntax/nearest.ts";
import type { ZoneDocument } from "../../zone/desired-zone.ts";
import { type Diagnostic, isError } from "../../zone/diagnostic.ts";
import { internalError } from "../../zone/internal-error.ts";
import type { Lint } from "../lint.ts";
import { keyPlace } from "../location.ts";
import { identityText } from "../template/fill-zone.ts";
import { inOrder } from "../zones/layer-order.ts";
import { diagnosticInPart, type Layer, type ZoneLayer } from "../zones/layer.ts";
import { mayBeElsewhere, type MergedEntry, ZoneMerger } from "../zones/merge-zone.ts";
import { isLayer, isMerged, priorityOf } from "../zones/merged-document.ts";
import { Profiles } from "../zones/profiles.ts";
import { matcherOf } from "../zones/selector.ts";
import { labelOf, labelsIn, targetOf } from "../zones/target.ts";
import { sections } from "../zones/zone-lists.ts";
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
}

/** Merged zones of earlier loads, by the layer of the zone itself. */
export type ZoneCache = WeakMap<Layer, MergedZone>;

/** A declared zone with its profiles. */
export interface MergedZone extends MergedEntry {
  readonly zone: ZoneLayer;
  readonly layers: readonly Layer[];
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
  const alone = files.map(({ good }) =>
    (good?.zones ?? []).map((zone) => mergeZone(zone, profiles, merger, cache, bug)),
  );
  const settle = settledIn(alone.flat(), merger);
  const merged = files.map((versions, index) => ({
    ...versions,
    file: versions.current.file,
    isCurrent: versions.current === versions.good,
    zones: (alone[index] ?? []).map(settle),
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
    ...currentZones.flatMap(undeclaredVariables),
    ...repeatedZones(currentZones),
    ...(isWhole ? unmatchedLabels(currentZones) : []),
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
        ...lint(diagnosticsOfBroken(files, currentZones, bug)),
      ],
      currentZones,
    ),
    stale: results.filter(({ isStale }) => isStale).map(({ file }) => file),
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
  const { document, diagnostics: found, used } = mergeOrReport(zone, layers, merger, bug);
  const merged: MergedZone = {
    zone,
    layers,
    document: broken ? undefined : document,
    diagnostics: [...diagnostics, ...found.filter((each) => !(broken && mayBeElsewhere(each)))],
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
    return { document: undefined, diagnostics: [diagnostic], used: undefined };
  }
}

/**
 * Decides what an entry that is merged with others may leave to them. What an entry below it may
 * have is told when the listing says which entries match a zone, and here if none has it.
 */
function settledIn(
  zones: readonly MergedZone[],
  merger: ZoneMerger,
): (zone: MergedZone) => MergedZone {
  const others = zones.flatMap(({ document }) =>
    document !== undefined && isLayer(document) ? [document] : [],
  );
  const names = new Set(
    others.flatMap(({ layers }) =>
      layers.flatMap(({ content }) => Object.keys(content.vars ?? {})),
    ),
  );
  const selectors = inOrder(others.filter(({ target }) => target.by === "selector"));
  const isLayered = new Set(others.map(priorityOf)).size > 1;
  const vars =
    names.size > 0 ? { vars: Object.fromEntries([...names].map((name) => [name, 1])) } : {};
  const stacks = new Map<number, readonly Layer[]>();
  // What no entry below has is missing over all of them, and over each.
  const stacksBelow = (priority: number, zone: ZoneLayer): readonly Layer[] => {
    const each = selectors
      .filter((selector) => priorityOf(selector) < priority)
      .filter(isMerged)
      .map(({ layers }) => valueLayer(zone, merger.valuesOf(layers), vars));
    return [valueLayer(zone, merger.valuesOf(each), vars), ...each];
  };
  return (merged) => {
    const { document, diagnostics, zone } = merged;
    if (!isLayered || document === undefined || !isLayer(document)) {
      return document !== undefined && diagnostics.some(isError)
        ? { ...merged, document: undefined }
        : merged;
    }
    if (diagnostics.length === 0) return { ...merged, used: undefined };
    const priority = priorityOf(document);
    const below = stacks.get(priority) ?? stacksBelow(priority, zone);
    stacks.set(priority, below);
    const isConcerned = sectionsOf(diagnostics);
    const own = document.layers.map((layer) => withSections(layer, isConcerned));
    const kept = below.reduce<readonly Diagnostic[]>((left, layer) => {
      if (left.length === 0) return left;
      const { diagnostics: found } = merger.merge(zone, [withSections(layer, isConcerned), ...own]);
      const messages = new Set(found.map(({ message }) => message));
      return left.filter(({ message }) => messages.has(message));
    }, diagnostics);
    return {
      ...merged,
      used: undefined,
      document: kept.some(isError) ? undefined : document,
      diagnostics: kept,
    };
  };
}

const sectionNames = [...sections].map(String);

/** Whether diagnostics may be about a section: it is named on the way to one, or one is about none. */
function sectionsOf(diagnostics: readonly Diagnostic[]): (section: string) => boolean {
  const all = new Set<string>();
  for (const { path } of diagnostics) {
    const named = sectionNames.filter((section) => path.includes(section));
    if (named.length === 0 || path.includes("vars")) return () => true;
    for (const section of named) all.add(section);
  }
  return (section) => all.has(section);
}

/** A layer without other sections: they would be merged and converted for nothing. */
function withSections(layer: Layer, isWanted: (section: string) => boolean): Layer {
  const kept = Object.entries(layer.content).filter(([key]) => !sections.has(key) || isWanted(key));
  return { ...layer, content: Object.fromEntries(kept) };
}

/** A layer with values that several layers have, without what removes values. */
function valueLayer(zone: ZoneLayer, values: JsonObject, more: JsonObject): Layer {
  const content: Record<string, Json> = { ...values, ...more };
  for (const key of ["name", "id", "match", "layers", "priority"]) delete content[key];
  return { ...zone, profile: "", content };
}

function isSame(a: readonly Layer[], b: readonly Layer[]): boolean {
  return a.length === b.length && a.every((layer, index) => layer === b[index]);
}

/** Errors of broken files that only merging shows, so that all of them are reported at once. */
function diagnosticsOfBroken(
  files: readonly FileVersions[],
  others: readonly MergedZone[],
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
  const alone = broken.flatMap(({ current }) =>
    current.zones.map((zone) => mergeZone(zone, profiles, merger, cache, bug)),
  );
  const zones = alone.map(settledIn([...others, ...alone], merger));
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
 * Warns about variables that a zone sets for texts of its profiles, where these declare others with
 * types and not them.
 */
function undeclaredVariables({ zone, layers, used }: MergedZone): readonly Diagnostic[] {
  const own = Object.entries(zone.content.vars ?? {});
  if (own.length === 0) return [];
  const inProfiles = layers.slice(0, -1).map(({ content }) => content.vars ?? {});
  const declared = inProfiles.flatMap((vars) => Object.keys(vars));
  if (!inProfiles.some((vars) => Object.values(vars).some(isJsonObject))) return [];
  const text = JSON.stringify(zone.content);
  return own
    .filter(([name, value]) => value !== null && !isJsonObject(value) && used?.has(name) === true)
    .filter(([name]) => !declared.includes(name) && !text.includes(`vars.${name}`))
    .map(([name]) =>
      diagnosticInPart(zone, {
        code: "UNDECLARED_VARIABLE",
        path: ["vars", name],
        atKey: true,
        message: `no profile of the zone declares the variable "${name}", and a text of one uses it`,
        remedy: `declare it there, like \`vars: { ${name}: { required: true } }\``,
      }),
    );
}

/** Of the zones of a layer. */
interface VariableUses {
  /** The variables whose values are in their texts. */
  readonly names: Set<string>;
  /** All that they have. */
  readonly nearby: Set<string>;
  isKnown: boolean;
}

/**
 * Warns about variables that no text uses: a zone's own, and those of profiles that no zone of them
 * uses.
 */
function unusedVariables(zones: readonly MergedZone[], isWhole: boolean): readonly Diagnostic[] {
  const uses = new Map<Layer, VariableUses>();
  for (const { layers, used } of zones) {
    const all = layers.flatMap(({ content }) => Object.keys(content.vars ?? {}));
    if (all.length === 0) continue;
    for (const layer of layers) {
      const known = uses.get(layer) ?? { names: new Set(), nearby: new Set(), isKnown: true };
      known.isKnown &&= used !== undefined && (isWhole || layer.profile === undefined);
      for (const name of used ?? []) known.names.add(name);
      for (const name of all) known.nearby.add(name);
      uses.set(layer, known);
    }
  }
  return [...uses].flatMap(([layer, { names, nearby, isKnown }]) => {
    const unused = isKnown
      ? Object.entries(layer.content.vars ?? {}).filter(
          ([name, value]) => value !== null && !names.has(name),
        )
      : [];
    return unused.map(([name]) => {
      const guess = didYouMean(
        name,
        [...nearby].filter((each) => each !== name),
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
  const groups = Map.groupBy(zones, ({ zone }) => labelIn(zone));
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

/** `undefined` for a selector or an invalid name. */
function labelIn({ content }: ZoneLayer): string | undefined {
  const { value: target } = targetOf(content);
  return target === undefined || target.by === "selector" ? undefined : labelOf(target);
}

/** Warns about selectors of labels that no entry has which is merged over them. */
function unmatchedLabels(zones: readonly MergedZone[]): readonly Diagnostic[] {
  const documents = zones.flatMap(({ document }) => document ?? []);
  const all = documents
    .filter(({ target }) => target.by !== "selector")
    .filter(isLayer)
    .map(({ zone }) => ({ labels: labelsIn({ labels: zone.content.labels }) }));
  return documents.flatMap(({ target, zone }) => {
    if (target.by !== "selector" || target.selector.labels === undefined) return [];
    const matches = matcherOf({ labels: target.selector.labels });
    if (all.some((facts) => matches(facts) === true)) return [];
    return diagnosticInPart(zone, {
      code: "MATCH_NOTHING",
      path: ["match", "labels"],
      atKey: true,
      message: "no entry with `layers: true` has these labels",
      remedy: "write them, and `layers: true`, in the entries of the zones by name or id",
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
