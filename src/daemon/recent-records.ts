import type { MeasurementReader } from "../measure/measurement-store.ts";
import type { Clock } from "../zone/ports.ts";
import type { ZoneName } from "../zone/zone.ts";

/** How long a record is used again: during a sweep, each open page is loaded once a second. */
const freshMs = 60_000;
/** Records that are kept meanwhile, of 2 KB. */
const mostKept = 2_000;

/** Reads the record of a zone and day at most once a minute. What cannot be read is asked for again. */
export function recentRecords(
  reader: Pick<MeasurementReader, "read">,
  clock: Pick<Clock, "monotonicMs">,
): Pick<MeasurementReader, "read"> {
  const kept = new Map<
    string,
    { readonly until: number; readonly records: ReturnType<MeasurementReader["read"]> }
  >();
  const read = (day: string, zone: ZoneName): ReturnType<MeasurementReader["read"]> => {
    const key = `${day} ${zone}`;
    const known = kept.get(key);
    if (known !== undefined && clock.monotonicMs() < known.until) return known.records;
    kept.delete(key);
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size >= mostKept) kept.delete(oldest);
    const records = reader.read(day, zone);
    kept.set(key, { until: clock.monotonicMs() + freshMs, records });
    records.catch(() => kept.delete(key));
    return records;
  };
  return {
    read: (day, zone) => (zone === undefined ? reader.read(day) : read(day, zone)),
  };
}
