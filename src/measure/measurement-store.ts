import type { ZoneName } from "../zone/zone.ts";

/** Reads the records of days. */
export interface MeasurementReader {
  /**
   * The texts of the records of a day, by zone.
   *
   * @param zone left out: those of all zones.
   */
  read(day: string, zone?: ZoneName): Promise<ReadonlyMap<ZoneName, string>>;
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
