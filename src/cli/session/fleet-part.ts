import type { LoadedFiles } from "../../desired/load/zone-file-loader.ts";
import { declaredHash } from "../../desired/zones/declared-hash.ts";
import { isMerged } from "../../desired/zones/merged-document.ts";
import { offlineLabels, offlineZone } from "../../desired/zones/offline-zone.ts";
import { selectWith } from "../../desired/zones/select.ts";
import { GitError } from "../../host/git-files.ts";
import { notesOf } from "../../host/host.ts";
import { hasErrors, loadDesiredOrPrint, relativeDirectory } from "../../host/load.ts";
import {
  type DesiredFleet,
  desiredFleet,
  joinListings,
  namesOf,
} from "../../reconcile/fleet/desired-fleet.ts";
import { fileIn } from "../../render/diagnostic-formats.ts";
import { plural } from "../../render/format.ts";
import { globIgnoringCase } from "../../syntax/glob.ts";
import type { ZoneDocument } from "../../zone/desired-zone.ts";
import type { LabelSelector } from "../../zone/label-selector.ts";
import type { KnownZones, Zone, ZoneListing } from "../../zone/zone.ts";
import { loadCommit } from "./load-commit.ts";
import type { Session } from "./session.ts";

/** Which part of the fleet a command is about. */
export interface PartFlags {
  /** Only zones whose merged declaration differs from that of this Git revision. */
  readonly changedSince?: string;
  /** Only zones that come from files that match one of these patterns. */
  readonly paths?: readonly string[];
  /** Only zones with these labels. */
  readonly selector?: LabelSelector;
}

interface WholeFleet {
  readonly state: LoadedFiles;
  readonly fleet: DesiredFleet;
  readonly known: KnownZones;
}

/** What the flags leave of the fleet. */
export interface FleetPart {
  readonly fleet: DesiredFleet;
  /** The whole fleet of the Git revision; `undefined` if none is named. */
  readonly base: DesiredFleet | undefined;
}

/** The fleet without the zones that the flags exclude, or why that cannot be told. */
export async function fleetPart(
  { changedSince, paths, selector }: PartFlags,
  whole: WholeFleet,
  session: Session,
): Promise<FleetPart | { readonly failure: string }> {
  let { fleet } = whole;
  let base: DesiredFleet | undefined;
  if (selector !== undefined) {
    const names = namesWithLabels(selector, whole);
    if (names.size === 0) return { failure: unlabelled };
    fleet = onlyZones(fleet, names);
  }
  if (paths !== undefined) {
    const names = namesInFiles(paths, whole, session);
    if (typeof names === "string") return { failure: names };
    fleet = onlyZones(fleet, names);
  }
  if (changedSince !== undefined) {
    try {
      const changed = await changedNames(changedSince, whole, session);
      fleet = onlyZones(fleet, changed.names);
      base = changed.base;
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      return { failure: `error: --changed-since ${changedSince}: ${error.message}` };
    }
  }
  return { fleet, base };
}

/** The declared zones with labels. */
function namesWithLabels(
  selector: LabelSelector,
  { state, fleet }: Pick<WholeFleet, "fleet"> & { readonly state: Pick<LoadedFiles, "documents"> },
): ReadonlySet<string> {
  const found = [...fleet.zones].filter(([, { desired }]) => selector(desired.labels ?? {}));
  const missing = [...fleet.missing.keys()].filter((name) =>
    selector(offlineLabels(offlineZone(name, state.documents))),
  );
  return new Set([...found.map(([name]) => name), ...missing]);
}

/** The listed zones whose declaration has labels; prints a line if there are none. */
export async function withLabels(
  selector: LabelSelector | undefined,
  { all, zones, failed }: ZoneListing & { readonly all: readonly Zone[] },
  { config, host, stop }: Session,
): Promise<readonly Zone[]> {
  if (selector === undefined) return zones;
  const state = await loadDesiredOrPrint(config, host, stop);
  if (state === undefined) return [];
  const known = joinListings(undefined, { zones: all, failed });
  const fleet = desiredFleet(selectWith(config), state, known);
  const names = namesWithLabels(selector, { state, fleet });
  const found = zones.filter(({ name }) => names.has(name));
  if (found.length === 0) host.stderr.write(`${unlabelled}\n`);
  return found;
}

const unlabelled = "error: --selector: no declared zone has these labels";

function onlyZones(fleet: DesiredFleet, names: ReadonlySet<string>): DesiredFleet {
  return {
    ...fleet,
    zones: new Map([...fleet.zones].filter(([name]) => names.has(name))),
    missing: new Map([...fleet.missing].filter(([name]) => names.has(name))),
  };
}

/** Zones of which a file that matches has an entry or a profile. */
function namesInFiles(
  paths: readonly string[],
  { state, fleet }: WholeFleet,
  { host }: Session,
): ReadonlySet<string> | string {
  const directory = relativeDirectory(state, host);
  const used = new Set<string>();
  const matching = new Set<ZoneDocument>();
  for (const document of state.documents.filter(isMerged)) {
    const files = document.layers.map((layer) => layer.document.source.file);
    for (const pattern of paths) {
      const matches = globIgnoringCase(pattern.replace(/^\.\//, ""));
      if (!files.some((file) => matches(file) || matches(fileIn(directory, file)))) continue;
      used.add(pattern);
      matching.add(document);
    }
  }
  const unused = paths.find((pattern) => !used.has(pattern));
  if (unused !== undefined) {
    return `error: --paths ${unused}: no zone comes from a file with such a path`;
  }
  const names = [...fleet.zones]
    .filter(([, { desired }]) => desired.documents?.some((each) => matching.has(each)))
    .map(([name]) => name);
  return new Set([...names, ...namesOf([...matching])]);
}

async function changedNames(
  reference: string,
  { state, fleet, known }: WholeFleet,
  { config, host, stop }: Session,
): Promise<{ readonly names: ReadonlySet<string>; readonly base: DesiredFleet }> {
  const { path: place } = config.desired;
  const { commit, state: base } = await loadCommit(reference, place, config.lint, host, stop);
  if (hasErrors(base.diagnostics)) {
    host.stderr.write(`the files of ${reference} have errors: what has one counts as changed\n`);
  }
  const before = desiredFleet(selectWith(config), base, known);
  const digests = new Map([...before.zones].map(([name, { digest }]) => [name, digest]));
  const changed = [...fleet.zones]
    .filter(([name, { digest }]) => digests.get(name) !== digest)
    .map(([name]) => name);
  const missing = [...fleet.missing.keys()].filter(
    (name) => digestIn(state, name) !== digestIn(base, name),
  );
  const dropped = [...before.zones.keys()].filter((name) => !fleet.zones.has(name));
  const count = plural(changed.length + missing.length, "zone");
  const gone = dropped.length > 0 ? `; ${plural(dropped.length, "zone")} no longer declared` : "";
  notesOf(host).write(
    `${count} of ${fleet.zones.size + fleet.missing.size} changed since ${commit.slice(0, 12)}${gone}\n`,
  );
  return { names: new Set<string>([...changed, ...missing]), base: before };
}

/** The digest of a zone that is declared by its name; `undefined` if it is not. */
function digestIn({ documents }: LoadedFiles, name: string): string | undefined {
  const document = documents.find(({ target }) => target.by === "name" && target.name === name);
  return document && declaredHash([document]);
}
