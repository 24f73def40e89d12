import {
  type CountRow,
  type DayRecord,
  emptyDay,
  type MeasuredObject,
  withRead,
} from "../../src/measure/day-record.ts";
import { firstHourOf, hoursOfDay } from "../../src/measure/hours.ts";

/** A day of a zone with ten objects, each of which counted in each hour. */
export function fullDay(zone: string, day: string): DayRecord {
  const firstHour = firstHourOf(day);
  const hours = Array.from({ length: hoursOfDay }, (_, hour) => hour);
  const objects = Array.from({ length: 10 }, (_, nth): MeasuredObject => {
    const key = `${nth < 6 ? "custom_rule" : "policy"}/block-countries-${nth}` as const;
    return { key, ids: [`${nth}`.repeat(8)], since: firstHour, until: Infinity };
  });
  const row = (hour: number, count: number, ids: readonly string[]): CountRow => ({
    nth: firstHour + hour,
    ids,
    action: "block",
    count,
    sampleInterval: 1,
  });
  const rows = objects.flatMap(({ ids }, nth) =>
    hours.map((hour) => row(hour, 1_000 + nth * 97 + hour * 31, ids)),
  );
  const requests = hours.map((hour) => row(hour, 480_000 + hour * 7_919, []));
  let record = emptyDay(zone, day);
  for (const dataset of ["requests", "events", "violations"] as const) {
    const read = { result: "measured", rows: dataset === "requests" ? requests : rows } as const;
    record = withRead(record, dataset, hours, read, objects);
  }
  return record;
}
