import { extractProfile } from "../../desired/import/extract-profile.ts";
import { contentEntry } from "../../desired/import/zone-entry.ts";
import { zoneFileText } from "../../desired/import/zone-text.ts";
import type { JsonObject } from "../../syntax/json.ts";
import type { ZoneContent } from "../../zone/desired-zone.ts";
import type { Zone } from "../../zone/zone.ts";
import type { NewFile } from "./new-files.ts";

export interface ZoneToWrite {
  readonly zone: Zone;
  readonly content: ZoneContent;
}

/** All zones as one text. What they have in common goes into the profile, where one is named. */
export function importedText(
  zones: readonly ZoneToWrite[],
  listed: readonly Zone[],
  profile: string | undefined,
): string {
  const { entries, profiles } = entriesOf(zones, listed, profile);
  return zoneFileText({ ...profiles, zones: entries.map(({ entry }) => entry) }, remark);
}

/** One file per zone, relative to the directory of the zone files. What the zones have in common goes into a file for the profile, where one is named. */
export function importedFiles(
  zones: readonly ZoneToWrite[],
  listed: readonly Zone[],
  profile: string | undefined,
): readonly NewFile[] {
  const { entries, profiles } = entriesOf(zones, listed, profile);
  const files = entries.map(({ zone: { name, id }, entry }) =>
    "id" in entry
      ? { file: `${id}.yaml`, text: zoneFileText({ zones: [entry] }, `${name}. ${remark}`) }
      : { file: `${name}.yaml`, text: zoneFileText({ zones: [entry] }, remark) },
  );
  if (profile === undefined || Object.keys(profiles).length === 0) return files;
  // In its own directory, since a zone can have the name of the profile.
  return [{ file: `profiles/${profile}.yaml`, text: zoneFileText(profiles, remark) }, ...files];
}

const remark = "Imported from the service by `zonewarden import`.";

/** The entries of the zones that declare anything; `profiles` is that key of a zone file, empty if there is none. */
function entriesOf(
  zones: readonly ZoneToWrite[],
  listed: readonly Zone[],
  profile: string | undefined,
): {
  readonly entries: readonly { readonly zone: Zone; readonly entry: JsonObject }[];
  readonly profiles: JsonObject;
} {
  const sameName = Map.groupBy(listed, ({ name }) => name);
  const declaring = zones.flatMap(({ zone, content }) => {
    const entry = contentEntry(content);
    const { name, id } = zone;
    const isKnownByName = sameName.get(name)?.length === 1 && name.length <= longestName;
    const target = isKnownByName ? { name } : { id };
    return Object.keys(entry).length > 0 ? [{ zone, entry: { ...target, ...entry } }] : [];
  });
  if (profile === undefined) return { entries: declaring, profiles: {} };
  const extracted = extractProfile(
    declaring.map(({ entry }) => entry),
    profile,
  );
  return {
    entries: declaring.map(({ zone, entry }, index) => ({
      zone,
      entry: extracted.entries[index] ?? entry,
    })),
    profiles: extracted.profile === undefined ? {} : { profiles: { [profile]: extracted.profile } },
  };
}

/** With `.yaml`, what file systems permit as a file name. */
const longestName = 250;
