import type { FilePort } from "../desired/file-system.ts";
import { parseJson } from "../syntax/json.ts";
import { MemoryStore } from "./memory-store.ts";
import { fleetKeys, zoneKeys } from "./state-keys.ts";
import { StoredRevision } from "./stored-revision.ts";

const keys = [...Object.values(zoneKeys), ...Object.values(fleetKeys)];

/** The keys of a state that cannot be read: to the daemon, they are as good as not there. Unknown keys are not among them. */
export function damagedKeys(
  entries: ReadonlyMap<string, string>,
  place: string,
  files: FilePort,
): readonly string[] {
  const damaged = [...entries].flatMap(([name, text]) => {
    const found = keys.find(({ key }) => name.startsWith(key));
    return found === undefined || isWhole(text, found.again(text)) ? [] : [name];
  });
  const store = new MemoryStore();
  for (const [key, text] of entries) store.set(key, text);
  return [...damaged, ...new StoredRevision(store, place, files).damaged];
}

/** What is stored wrongly counts as not stored. */
function isWhole(text: string, again: string | undefined): boolean {
  return again !== undefined && (again === text || parseJson(text) !== undefined);
}
