import { isDay } from "../../measure/hours.ts";
import type { MeasurementStore } from "../../measure/measurement-store.ts";
import { byEntryName } from "../../syntax/by-text.ts";
import { type ZoneName, zoneName } from "../../zone/zone.ts";
import type { StateDirectory } from "./state-directory.ts";

const suffix = ".jsonl";

/**
 * Measurements in a directory: a file for each day, with a line for each zone, sorted by zone. A file is written as a whole
 * and never changed in place. A line that is damaged is not there.
 */
export function measurementFiles(directory: StateDirectory): MeasurementStore {
  const days = async (): Promise<readonly string[]> => {
    const names = await directory.names();
    return names
      .flatMap((name) => (name.endsWith(suffix) ? name.slice(0, -suffix.length) : []))
      .filter(isDay)
      .toSorted();
  };
  const read = async (day: string, zone?: ZoneName): Promise<ReadonlyMap<ZoneName, string>> => {
    const text = (await directory.read(day + suffix)) ?? "";
    const records = new Map<ZoneName, string>();
    // A line that was cut off may be the beginning of one.
    for (const line of text.split("\n").slice(0, -1)) {
      const name = zoneOfLine(line);
      if (name !== undefined && (zone === undefined || zone === name)) records.set(name, line);
    }
    return records;
  };
  return {
    days,
    read,
    write: async (day, records) => {
      const all = [...(await read(day)), ...records];
      const lines = [...new Map(all)].toSorted(byEntryName).map(([, line]) => `${line}\n`);
      await directory.replace(day + suffix, lines.join(""));
    },
    dropBefore: async (first) => {
      for (const day of await days()) if (day < first) await directory.remove(day + suffix);
    },
  };
}

/** A record begins with the name of its zone. */
function zoneOfLine(line: string): ZoneName | undefined {
  const { zone = "" } = /^\{"zone":"(?<zone>[^"\\]{1,253})",/.exec(line)?.groups ?? {};
  return zoneName(zone);
}

/** Measurements that are changed only while the state belongs to this process. */
export function heldMeasurements(
  store: MeasurementStore,
  state: { readonly isHeld: () => Promise<boolean> },
): MeasurementStore {
  const check = async (): Promise<void> => {
    if (!(await state.isHeld())) throw new Error("the state was taken over");
  };
  return {
    ...store,
    write: async (day, records) => {
      await check();
      await store.write(day, records);
    },
    dropBefore: async (day) => {
      await check();
      await store.dropBefore(day);
    },
  };
}
