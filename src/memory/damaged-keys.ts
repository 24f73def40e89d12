import type { FilePort } from "../desired/file-system.ts";
import { parseJson } from "../syntax/json.ts";
import { MemoryStore } from "./memory-store.ts";
import { fleetKeys, revisionKeys, type StateKey, zoneKeys } from "./state-keys.ts";
import { StoredRevision } from "./stored-revision.ts";

interface KeyCheck {
  readonly key: string;
  readonly isWhole: (text: string) => boolean;
}

function checkOf<T>({ key, encode, decode }: StateKey<T>): KeyCheck {
  return {
    key,
    // What is stored wrongly counts as not stored.
    isWhole: (text) => {
      const again = encode(decode(text));
      return again !== undefined && (again === text || parseJson(text) !== undefined);
    },
  };
}

const checks: readonly KeyCheck[] = [
  checkOf(zoneKeys.adopted),
  checkOf(zoneKeys.applied),
  checkOf(zoneKeys.corrections),
  checkOf(zoneKeys.authors),
  checkOf(zoneKeys.former),
  checkOf(zoneKeys.drift),
  checkOf(zoneKeys.labels),
  checkOf(zoneKeys.pending),
  checkOf(zoneKeys.rays),
  checkOf(zoneKeys.scripts),
  checkOf(fleetKeys.formerTerm),
  checkOf(fleetKeys.halt),
  checkOf(fleetKeys.rollout),
  checkOf(fleetKeys.rolloutZone),
  checkOf(fleetKeys.usedReleases),
  checkOf(fleetKeys.weakened),
];

/** The keys of a state that cannot be read: to the daemon, they are as good as not there. Unknown keys are not among them. */
export function damagedKeys(
  entries: ReadonlyMap<string, string>,
  place: string,
  files: FilePort,
): readonly string[] {
  const damaged = [...entries].flatMap(([key, text]) => {
    const check = checks.find((each) => key.startsWith(each.key));
    return check === undefined || check.isWhole(text) ? [] : [key];
  });
  if (!entries.has(revisionKeys.head)) return damaged;
  const store = new MemoryStore();
  for (const [key, text] of entries) store.set(key, text);
  const revision = new StoredRevision(store, place, files).stored();
  return revision === undefined ? [...damaged, revisionKeys.head] : damaged;
}
