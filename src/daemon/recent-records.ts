import type { MeasurementReader } from "../measure/measurement-store.ts";
import type { Clock } from "../zone/ports.ts";

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
    { readonly until: number; readonly record: ReturnType<MeasurementReader["read"]> }
  >();
  const read: MeasurementReader["read"] = (day, zone) => {
    const key = `${day} ${zone}`;
    const known = kept.get(key);
    if (known !== undefined && clock.monotonicMs() < known.until) return known.record;
    kept.delete(key);
    const [oldest = key] = kept.keys();
    if (kept.size >= mostKept) kept.delete(oldest);
    const record = reader.read(day, zone);
    kept.set(key, { until: clock.monotonicMs() + freshMs, record });
    record.catch(() => kept.delete(key));
    return record;
  };
  return { read };
}
