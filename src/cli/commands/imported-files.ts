import { extractProfile } from "../../desired/import/extract-profile.ts";
import { contentEntry, targetEntry } from "../../desired/import/zone-entry.ts";
import { zoneFileText } from "../../desired/import/zone-text.ts";
import type { JsonObject } from "../../syntax/json.ts";
import type { ZoneContent } from "../../zone/desired-zone.ts";
import type { Zone } from "../../zone/zone.ts";

/** A zone, and what it declares. */
export interface ImportedZone {
  readonly zone: Zone;
  readonly content: ZoneContent;
}

/** A file to be written, relative to the directory of the zone documents. */
export interface ImportedFile {
  readonly file: string;
  readonly text: string;
}

/** All zones as the text of one file, with the profile of what they have in common where one is named. */
export function importedText(
  zones: readonly ImportedZone[],
  listed: readonly Zone[],
  profile: string | undefined,
): string {
  const { entries, profiles } = entriesOf(zones, listed, profile);
  return zoneFileText({ ...profiles, zones: entries.map(({ entry }) => entry) }, remark);
}

/** A file for each zone, and one for the profile of what they have in common where one is named. */
export function importedFiles(
  zones: readonly ImportedZone[],
  listed: readonly Zone[],
  profile: string | undefined,
): readonly ImportedFile[] {
  const { entries, profiles } = entriesOf(zones, listed, profile);
  const files = entries.map(({ zone: { name, id }, entry }) =>
    "id" in entry
      ? { file: `${id}.yaml`, text: zoneFileText({ zones: [entry] }, `${name}. ${remark}`) }
      : { file: `${name}.yaml`, text: zoneFileText({ zones: [entry] }, remark) },
  );
  if (profile === undefined || Object.keys(profiles).length === 0) return files;
  // In a directory of its own, since a zone can be called as the profile is.
  return [{ file: `profiles/${profile}.yaml`, text: zoneFileText(profiles, remark) }, ...files];
}

const remark = "Imported from the service by `zonewarden import`.";

interface Entries {
  readonly entries: readonly { readonly zone: Zone; readonly entry: JsonObject }[];
  /** `profiles` as a file has them; empty where there is none. */
  readonly profiles: JsonObject;
}

/** Entries of the zones in which anything is declared. */
function entriesOf(
  zones: readonly ImportedZone[],
  listed: readonly Zone[],
  profile: string | undefined,
): Entries {
  const namesakes = Map.groupBy(listed, ({ name }) => name);
  const declaring = zones.flatMap(({ zone, content }) => {
    const entry = contentEntry(content);
    const { name, id } = zone;
    const isKnownByName = namesakes.get(name)?.length === 1 && name.length <= longestName;
    const target = isKnownByName ? ({ by: "name", name } as const) : ({ by: "id", id } as const);
    return Object.keys(entry).length > 0
      ? [{ zone, entry: { ...targetEntry(target), ...entry } }]
      : [];
  });
  if (profile === undefined) return { entries: declaring, profiles: {} };
  const lifted = extractProfile(
    declaring.map(({ entry }) => entry),
    profile,
  );
  return {
    entries: declaring.map(({ zone, entry }, index) => ({
      zone,
      entry: lifted.entries[index] ?? entry,
    })),
    profiles: lifted.profile === undefined ? {} : { profiles: { [profile]: lifted.profile } },
  };
}

/** With `.yaml` behind it, what file systems take as the name of a file. */
const longestName = 250;
