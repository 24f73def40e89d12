import * as fc from "fast-check";

import type { MeasuredObject, CountRow, HoursRead } from "../../src/measure/day-record.ts";
import { firstHourOf } from "../../src/measure/hours.ts";
import { type MeasuredDataset, datasetOf, datasets } from "../../src/measure/measurement.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";

/** The day of the reads. */
export const readDay = "2026-11-26";

const firstHour = firstHourOf(readDay);

/** Keys and ids of the objects of a zone: a rule that executes a managed ruleset has the id of the ruleset too. */
export const countedIds: ReadonlyMap<ResourceKey, readonly string[]> = new Map<
  ResourceKey,
  readonly string[]
>([
  ["managed_rule/owasp", ["aaaaaaaa1111", "bbbbbbbb1111"]],
  ["custom_rule/payments/block", ["cccccccc1111"]],
  ["policy/checkout", ["dddddddd1111"]],
  ["policy/blog", ["eeeeeeee1111", "ffffffff1111"]],
]);

const object: fc.Arbitrary<MeasuredObject> = fc
  .tuple(
    fc.constantFrom(...countedIds.entries()),
    fc.integer({ min: -5, max: 30 }),
    fc.integer({ min: 0, max: 30 }),
  )
  .map(([[key, ids], since, length]) => {
    const from = firstHour + since;
    return { key, ids, since: from, until: from + length };
  });

/** Some of the objects of a zone, and since when each is known. */
export const someObjects: fc.Arbitrary<readonly MeasuredObject[]> = fc.uniqueArray(object, {
  selector: ({ key }) => key,
});

/** A read of some hours. */
export interface ReadStep {
  readonly dataset: MeasuredDataset;
  /** From 0 to 23. */
  readonly hours: readonly number[];
  readonly read: HoursRead;
  readonly objects: readonly MeasuredObject[];
}

function rowsOf(
  dataset: MeasuredDataset,
  hours: readonly number[],
): fc.Arbitrary<readonly CountRow[]> {
  const ids = [...countedIds].flatMap(([key, all]) => (datasetOf(key) === dataset ? all : []));
  const row = fc.record({
    nth: fc.constantFrom(...hours).map((hour) => firstHour + hour),
    ids:
      dataset === "requests"
        ? fc.constant([])
        : fc.constantFrom(...ids, "99999999").map((id) => [id]),
    action: dataset === "requests" ? fc.constant("") : fc.constantFrom("log", "block", "allow"),
    count: fc.integer({ min: 0, max: 1_000_000 }),
    sampleInterval: fc.constantFrom(1, 1, 2.5, 10),
  });
  return fc.array(row, { maxLength: 8 });
}

/** A read of a dataset, whatever it gave. */
export const readStep: fc.Arbitrary<ReadStep> = fc
  .tuple(
    fc.constantFrom(...datasets),
    fc.tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 1, max: 24 })),
    fc.constantFrom("measured", "measured", "denied", "unavailable", "failed"),
    someObjects,
  )
  .chain(([dataset, [from, length], result, objects]) => {
    const hours = Array.from({ length: Math.min(length, 24 - from) }, (_, nth) => from + nth);
    const step = (read: HoursRead): ReadStep => ({ dataset, hours, objects, read });
    if (result === "measured") {
      return rowsOf(dataset, hours).map((rows) => step({ result: "measured", rows }));
    }
    if (result === "failed") return fc.constant(step({ result: "failed", why: "cut" }));
    const reason = result === "denied" ? "denied" : "unavailable";
    return fc.constant(step({ result: "refused", reason }));
  });
