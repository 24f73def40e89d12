import { isDay } from "../../measure/hours.ts";
import type { MeasurementStore } from "../../measure/measurement-store.ts";
import { byEntryName } from "../../syntax/by-text.ts";
import { type ZoneName, zoneName } from "../../zone/zone.ts";
import type { StateDirectory } from "./state-directory.ts";

const suffix = ".jsonl";

/**
 * Measurements in a directory: a file for each day, with a line for each zone, sorted by zone. A file is written as a whole
 * and never changed in place. A line without a zone is not read, and
 * stays.
 */
export function measurementFiles(
  directory: Pick<StateDirectory, "names" | "lines" | "replace" | "remove">,
): MeasurementStore {
  const days = async (): Promise<readonly string[]> => {
    const names = await directory.names();
    return names
      .flatMap((name) => (name.endsWith(suffix) ? name.slice(0, -suffix.length) : []))
      .filter(isDay)
      .toSorted();
  };
  const readAll = (day: string): ReturnType<MeasurementStore["readAll"]> =>
    recordsIn(directory.lines(day + suffix));
  return {
    days,
    readAll,
    read: async (day, zone) => {
      for await (const line of directory.lines(day + suffix)) {
        if (line.startsWith(startOf(zone))) return line;
      }
      return undefined;
    },
    write: (day, records) =>
      directory.replace(day + suffix, textOf(merged(directory.lines(day + suffix), records))),
    dropBefore: async (first) => {
      for (const day of await days()) if (day < first) await directory.remove(day + suffix);
    },
  };
}

async function* recordsIn(
  lines: AsyncIterable<string>,
): AsyncGenerator<readonly [ZoneName, string]> {
  for await (const line of lines) {
    const zone = zoneOfLine(line);
    if (zone !== undefined) yield [zone, line];
  }
}

/** The lines of a file with the records that are there and those that take their places. */
async function* merged(
  before: AsyncIterable<string>,
  records: ReadonlyMap<string, string>,
): AsyncGenerator<string> {
  const sorted = [...records].toSorted(byEntryName);
  let written = 0;
  for await (const line of before) {
    const zone = zoneOfLine(line) ?? "";
    for (let next = sorted[written]; next !== undefined && next[0] < zone;) {
      yield next[1];
      written += 1;
      next = sorted[written];
    }
    if (!records.has(zone)) yield line;
  }
  for (const [, line] of sorted.slice(written)) yield line;
}

/** A file is written in pieces of about so many characters. */
const pieceLength = 65_536;

async function* textOf(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = "";
  for await (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}

/** How the record of a zone begins. */
function startOf(zone: string): string {
  return `{"zone":"${zone}",`;
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
