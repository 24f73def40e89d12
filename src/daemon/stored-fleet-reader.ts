import { type StoredFleet, storedZonesFrom } from "../history/stored-fleet.ts";
import type { Database } from "../memory/database.ts";
import { zoneKeys } from "../memory/state-keys.ts";
import type { StoreIdentity } from "../memory/state-store.ts";
import { errorText } from "../syntax/error-code.ts";
import type { ZoneLabels } from "../zone/desired-zone.ts";
import type { Clock } from "../zone/ports.ts";
import type { ZoneName } from "../zone/zone.ts";

/** How long an answer of the database is used again. */
const freshMs = 5_000;

/**
 * Reads the fleet from a database, for a process that does not work: only when it is asked, and one read at a time. The
 * connection ends with the read, so that a term that begins meanwhile does not wait for it.
 *
 * @param open `undefined`: the configuration names no database.
 */
export function storedFleetReader(
  open: () => Database | undefined,
  identity: StoreIdentity,
  clock: Pick<Clock, "now" | "monotonicMs">,
): () => Promise<StoredFleet | undefined> {
  let last = Promise.resolve<StoredFleet | undefined>(undefined);
  let freshUntil = Number.NEGATIVE_INFINITY;
  return () => {
    if (clock.monotonicMs() >= freshUntil) {
      freshUntil = Number.POSITIVE_INFINITY;
      last = readFleet(open, identity, clock.now()).finally(() => {
        freshUntil = clock.monotonicMs() + freshMs;
      });
    }
    return last;
  };
}

async function readFleet(
  open: () => Database | undefined,
  identity: StoreIdentity,
  readAt: Date,
): Promise<StoredFleet | undefined> {
  await using database = open();
  if (database === undefined) return undefined;
  try {
    await database.tables.check(identity);
    const { applied, labels } = zoneKeys;
    const keys = { names: applied.key, values: labels.key };
    const { lines, names, values } = await database.tables.lastEntries(keys);
    const labelsOf = (name: ZoneName): ZoneLabels => labels.decode(values.get(name));
    return { readAt, zones: storedZonesFrom(lines, names, labelsOf) };
  } catch (error) {
    return { readAt, zones: errorText(error) };
  }
}
