import type { ZoneName } from "../zone/zone.ts";

/** Reads the records of days. */
export interface MeasurementReader {
  /** The text of the record of a zone and day; `undefined`: there is none. */
  read(day: string, zone: ZoneName): Promise<string | undefined>;
  /** The texts of the records of all zones of a day, one after the other: those of a large fleet are never held together. */
  readAll(day: string): AsyncIterable<readonly [ZoneName, string]>;
  /** The days that have records, oldest first. */
  days(): Promise<readonly string[]>;
}

/** Keeps a record of each zone and day. Everything rejects if the place cannot be used now. */
export interface MeasurementStore extends MeasurementReader {
  /** Puts records of a day in the place of those that the same zones have: each as a whole or, after a crash, not. */
  write(day: string, records: ReadonlyMap<ZoneName, string>): Promise<void>;
  /** Drops the records of all days before one. */
  dropBefore(day: string): Promise<void>;
}
