import path from "node:path";

import type { SweepRequests } from "../../daemon/sweep-schedule.ts";
import { formattedText } from "../../desired/format/format-text.ts";
import { sharedParts, type SharedParts } from "../../desired/import/shared-parts.ts";
import { contentEntry } from "../../desired/import/zone-entry.ts";
import { writableCheck, zoneFileText } from "../../desired/import/zone-text.ts";
import { labelOf } from "../../desired/zones/target.ts";
import { notesOf } from "../../host/host.ts";
import { loadZoneFiles } from "../../host/load.ts";
import type { LeftOut } from "../../plan/import/candidate.ts";
import { importLiveZone } from "../../plan/import/import-zone.ts";
import { plural } from "../../render/format.ts";
import { type Failure, failureOf } from "../../state/run-report.ts";
import { firstOf } from "../../syntax/first-of.ts";
import type { JsonObject } from "../../syntax/json.ts";
import type { ZoneContent } from "../../zone/desired-zone.ts";
import { type Kind, kindWords } from "../../zone/resource.ts";
import { rulePhases } from "../../zone/rule-phase.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Zone } from "../../zone/zone.ts";
import { type NewFile, shownPath } from "../output/files.ts";
import { longTotal, startProgress } from "../output/progress.ts";
import type { KeptReading } from "./kept-reading.ts";
import { forecastText } from "./reading-forecast.ts";
import { inParallel, type Session } from "./session.ts";

/** What an import can read of a zone. */
export const importable = ["settings", "policies", "rules"] as const;

export type ImportPart = (typeof importable)[number];

/** What is live in zones, as files can declare it. */
interface ImportedZones {
  /** The zones that could be read. */
  readonly declared: readonly ZoneToWrite[];
  /** What the declarations omit; empty if they have everything. */
  readonly gaps: readonly ImportGap[];
  /** Why no zone could be read; `undefined` if at least one was. */
  readonly failure: Failure | undefined;
}

export interface ZoneToWrite {
  readonly zone: Zone;
  readonly content: ZoneContent;
}

/** A zone with what its file omits, or with the reason why there is no file for it. */
type ImportGap =
  | { readonly zone: string; readonly leftOut: readonly LeftOut[] }
  | { readonly zone: string; readonly failure: string };

/**
 * Says which zones other files of a directory declare already: no file that declares a zone twice can be used.
 *
 * @param written the files to be written, relative to the directory.
 */
export async function declaredTwice(
  declared: readonly ZoneToWrite[],
  written: readonly string[],
  directory: string,
  { config, host, stop }: Session,
): Promise<string | undefined> {
  const names = new Map<string, string>(
    declared.flatMap(({ zone: { id, name } }) => [[id, name] as const, [name, name] as const]),
  );
  const { documents } = await loadZoneFiles(directory, config.lint, host, stop);
  const twice = documents.flatMap(({ target, place: { file } }) => {
    const name = target.by === "selector" ? undefined : names.get(labelOf(target));
    const isOther = name !== undefined && !written.includes(file);
    return isOther ? [`${name} (${shownPath(path.join(directory, file), host)})`] : [];
  });
  if (twice.length === 0) return undefined;
  return `other files declare these zones; delete that, or write elsewhere: ${firstOf(twice, 5)}`;
}

/** Reads zones, and declares what is live. Sends only GETs, and none for what was read before. */
export async function importZones(
  wanted: readonly Zone[],
  only: readonly ImportPart[],
  reading: KeptReading,
  session: Session,
): Promise<ImportedZones> {
  const { config, service, host, stop } = session;
  const reader = service.reader.keepingIn(reading.answers);
  const rules = only.includes("rules");
  const parts = {
    settings: only.includes("settings"),
    policies: only.includes("policies"),
    rules: rules ? rulePhases : [],
    customRulesets: rules ? ({ owner: config.desired.owner, keys: "any" } as const) : undefined,
    scoreRule: rules,
  };
  const left = wanted.filter((zone) => !reading.answers.has(zone, only));
  if (wanted.length > longTotal) notesOf(host).write(startText(left, wanted, only, session));
  const whyNot = writableCheck();
  using progress = startProgress("reading zones", wanted.length, host);
  const results = await inParallel(wanted, config.api.concurrency, async (zone) => {
    try {
      const live = await reader.readListed(zone, parts, "changed", stop);
      await reading.save();
      return { zone, ...importLiveZone(live, config.desired.owner, whyNot) };
    } catch (error) {
      stop.throwIfAborted();
      if (!(error instanceof ServiceError)) throw error;
      return { zone, failure: failureOf(error) };
    } finally {
      progress.step();
    }
  });
  const declared = results.filter((each) => "content" in each);
  const [failed] = results.filter((each) => "failure" in each);
  const gaps = results.flatMap((each): ImportGap | readonly [] => {
    if ("failure" in each) return { zone: each.zone.name, failure: each.failure.message };
    return each.leftOut.length === 0 ? [] : { zone: each.zone.name, leftOut: each.leftOut };
  });
  return { declared, gaps, failure: declared.length === 0 ? failed?.failure : undefined };
}

/** What the zones that are left take: a request for each part, for the listing of the lists of rules, and for each list. */
function startText(
  left: readonly Zone[],
  { length: all }: readonly Zone[],
  only: readonly ImportPart[],
  { config, service }: Session,
): string {
  const byCredential = Map.groupBy(left, service.credentialOf);
  const requests = (each: number): SweepRequests =>
    new Map([...byCredential].map(([name, { length }]) => [name, length * each]));
  const lists = only.includes("rules") ? rulePhases.length : 0;
  const before = all === left.length ? "" : ` (the other ${all - left.length} were read before)`;
  const what = `reading ${plural(left.length, "zone")}${before}`;
  return forecastText(what, [requests(only.length), requests(only.length + lists)], config);
}

/** Lines that are printed one by one; above, lines of the same reason become one line. */
const mostLines = 20;

/** What could not be read, and what a zone file cannot declare; "" if nothing is missing. */
export function gapsText(gaps: readonly ImportGap[]): string {
  const lines = gaps.flatMap(linesOf);
  if (lines.length <= mostLines) {
    return lines.map(({ zone, what, why }) => `${zone}: ${what} ${why}\n`).join("");
  }
  const groups = [...Map.groupBy(lines, ({ kind, why }) => `${kind} ${why}`).values()]
    .toSorted((a, b) => b.length - a.length)
    .map((group) => groupText(group));
  return [
    ...groups.slice(0, mostLines),
    ...(groups.length > mostLines ? [`and ${groups.length - mostLines} more reasons\n`] : []),
    "To see each of them, import one zone: zonewarden import ZONE\n",
  ].join("");
}

interface GapLine {
  readonly zone: string;
  readonly kind: Kind | "zone";
  /** The resource in words. */
  readonly what: string;
  readonly why: string;
}

function linesOf(gap: ImportGap): readonly GapLine[] {
  const { zone } = gap;
  if ("failure" in gap) return [{ zone, kind: "zone", what: "not imported:", why: gap.failure }];
  return gap.leftOut
    .filter(({ isFollowUp = false }) => !isFollowUp)
    .map(({ kind, id, title, reason: why }) => {
      const label = title === "" ? id : `${JSON.stringify(title)} (${id})`;
      return { zone, kind, what: `${kindWords(kind)} ${label}`, why };
    });
}

function groupText(group: readonly GapLine[]): string {
  const zones = new Set(group.map(({ zone }) => zone));
  const [{ kind, why, zone } = { kind: "zone" as const, why: "", zone: "" }] = group;
  const where = zones.size === 1 ? zone : `${zone} and ${zones.size - 1} more`;
  if (kind === "zone") return `${plural(zones.size, "zone")} not imported: ${why} (${where})\n`;
  return `${plural(group.length, kindWords(kind))} left out: ${why} (${where})\n`;
}

/** The files that were written, one by one where they are few. */
export function writtenFilesText(files: readonly string[], directory: string): string {
  if (files.length > mostLines) return `wrote ${files.length} zone files into ${directory}\n`;
  return files.map((file) => `${file}\n`).join("");
}

/** How zones are written: each by itself, or with profiles for what several have. */
export const layouts = ["files", "profiles"] as const;

export const layoutHelp =
  "files: every value in every zone file; profiles: what several zones have in profiles";

export type ZoneLayout = (typeof layouts)[number];

export function importedText(
  zones: readonly ZoneToWrite[],
  listed: readonly Zone[],
  layout: ZoneLayout,
): string {
  const { entries, profiles } = entriesOf(zones, listed, layout);
  const hasProfiles = Object.keys(profiles).length > 0;
  return fileText(
    { ...(hasProfiles && { profiles }), zones: entries.map(({ entry }) => entry) },
    remark,
  );
}

/** One file for each zone and each profile, relative to the directory of the zone files. */
export function importedFiles(
  zones: readonly ZoneToWrite[],
  listed: readonly Zone[],
  layout: ZoneLayout,
): readonly NewFile[] {
  const { entries, profiles } = entriesOf(zones, listed, layout);
  return [
    // In a directory of their own, since a zone can have the name of a profile.
    ...Object.entries(profiles).map(([name, profile]) => ({
      file: `profiles/${name}.yaml`,
      text: fileText({ profiles: { [name]: profile } }, remark),
    })),
    ...entries.map(({ zone: { name, id }, entry }) =>
      "id" in entry
        ? { file: `${id}.yaml`, text: fileText({ zones: [entry] }, `${name}. ${remark}`) }
        : { file: `${name}.yaml`, text: fileText({ zones: [entry] }, remark) },
    ),
  ];
}

const remark = "Imported from the service by `zonewarden import`.";

/** In the form that `fmt` writes. */
function fileText(data: JsonObject, comment: string): string {
  const text = zoneFileText(data, comment);
  return formattedText("", text).text ?? text;
}

/** The entries of the zones that declare anything, and their profiles. */
function entriesOf(
  zones: readonly ZoneToWrite[],
  listed: readonly Zone[],
  layout: ZoneLayout,
): Pick<SharedParts, "profiles"> & {
  readonly entries: readonly { readonly zone: Zone; readonly entry: JsonObject }[];
} {
  const targetOf = targetsIn(listed);
  const declaring = zones.flatMap(({ zone, content }) => {
    const entry = contentEntry(content);
    const target = targetOf(zone);
    return Object.keys(entry).length > 0 ? [{ zone, entry: { ...target, ...entry } }] : [];
  });
  if (layout === "files") return { entries: declaring, profiles: {} };
  const { profiles, entries } = sharedParts(declaring.map(({ entry }) => entry));
  return {
    entries: declaring.map(({ zone, entry }, index) => ({ zone, entry: entries[index] ?? entry })),
    profiles,
  };
}

/** How an entry names a zone: by its name, unless another zone has it too, or it is too long for a file. */
function targetsIn(
  listed: readonly Zone[],
): (zone: Zone) => { readonly name: string } | { readonly id: string } {
  const sameName = Map.groupBy(listed, ({ name }) => name);
  return ({ name, id }) =>
    sameName.get(name)?.length === 1 && name.length <= longestName ? { name } : { id };
}

/** The files in which zones are declared, relative to the directory of the zone files. */
export function zoneFilesOf(zones: readonly Zone[], listed: readonly Zone[]): readonly string[] {
  const targetOf = targetsIn(listed);
  return zones.map((zone) => `${Object.values(targetOf(zone))[0]}.yaml`);
}

/** With `.yaml`, what file systems permit as a file name. */
const longestName = 250;
