import * as fc from "fast-check";
import { describe, it } from "vitest";

import { CountedObjects } from "../../src/measure/counted-objects.ts";
import {
  type DayRecord,
  dayRecordOf,
  dayRecordText,
  emptyDay,
  withRead,
} from "../../src/measure/day-record.ts";
import { firstHourOf } from "../../src/measure/hours.ts";
import { policyForm } from "../../src/plan/policies/policy-form.ts";
import { noContent } from "../../src/zone/desired-zone.ts";
import { marked } from "../../src/zone/mark.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import { declared, livePolicy, owner, policy } from "../support/model.ts";
import { plannedPolicies } from "../support/planned.ts";
import { cases } from "../support/properties.ts";

const day = "2026-11-20";
const firstHour = firstHourOf(day);
const key = "policy/checkout";
const keys = new Map<string, ResourceKey>([["cccccccc", key]]);
const [one, other] = ["0123abcd", "ffffffff"];

function formOf(form: string): ReadonlyMap<ResourceKey, string> {
  return new Map([[key, form]]);
}

/** A record to which each hour was read with the form that the policy had since an hour. */
function recordOf(
  reads: readonly { readonly hour: number; readonly form: string; readonly since: number }[],
): DayRecord {
  return reads.reduce(
    (record, { hour, form, since }) => {
      const formSince = firstHour + since;
      const object = {
        key,
        ids: ["cccccccc"],
        since: 0,
        until: Infinity,
        form,
        formSince,
      } as const;
      return withRead(record, "violations", [hour], { result: "measured", rows: [] }, [object]);
    },
    emptyDay("shop.example.com", day),
  );
}

function formsIn(record: DayRecord | undefined): readonly string[] | undefined {
  return record?.objects.get(key)?.forms;
}

describe("the forms of policies in a record", () => {
  it("are those of whole hours, also after it was stored", ({ expect }) => {
    const hour = fc.integer({ min: 0, max: 23 });
    const read = fc.record({ hour, form: fc.constantFrom(one, other), since: hour });
    fc.assert(
      fc.property(fc.array(read, { minLength: 1, maxLength: 40 }), (reads) => {
        const forms = Array<string>(24).fill("");
        for (const each of reads) if (each.since <= each.hour) forms[each.hour] = each.form;
        const record = recordOf(reads);
        expect(formsIn(record)).toEqual(forms);
        expect(dayRecordOf(record.zone, record.day, dayRecordText(record))).toEqual(record);
      }),
      cases(300),
    );
  });

  it("take nine characters a day where nothing changes", ({ expect }) => {
    const hours = Array.from({ length: 24 }, (_, hour) => ({ hour, form: one, since: 0 }));
    expect(dayRecordText(recordOf(hours))).toContain(`{},"${one}"]`);
    expect(dayRecordText(recordOf(hours.slice(0, 3)))).toContain(`{},"${one},,,-"]`);
  });

  it.for(["0123abc", "0123ABCD", `${one},`.repeat(25), 'x"', "-,-x"])(
    "are not known where they are damaged: %s",
    (damage, { expect }) => {
      const record = recordOf([{ hour: 0, form: one, since: 0 }]);
      const text = dayRecordText(record);
      expect(text).toContain(`${one},-`);
      const damaged = text.replace(`"${one},-"`, JSON.stringify(damage));
      expect(dayRecordOf(record.zone, record.day, damaged)).toBeUndefined();
    },
  );

  it("are not in records of earlier versions", ({ expect }) => {
    const record = recordOf([{ hour: 0, form: one, since: 0 }]);
    const text = dayRecordText(record).replace(`,"${one},-"`, "");
    const old = dayRecordOf(record.zone, record.day, text);
    expect(formsIn(old)).toEqual(Array(24).fill(""));
  });
});

function sinceIn(objects: CountedObjects): number | undefined {
  return objects.all[0]?.formSince;
}

describe("since when a policy is as it is", () => {
  it("is known from the hour after a run found it so", ({ expect }) => {
    const objects = new CountedObjects();
    objects.note(keys, noContent, 10, formOf(one));
    objects.note(keys, noContent, 12, formOf(one));
    expect(sinceIn(objects)).toBe(11);
    objects.note(keys, noContent, 15, formOf(other));
    expect(objects.all[0]).toMatchObject({ form: other, formSince: 16 });
    objects.note(keys, noContent, 17, new Map());
    expect(objects.all[0]).toMatchObject({ form: "" });
  });

  it("is learnt from records of earlier processes, if the last form is the same", ({ expect }) => {
    const found = (form: string): CountedObjects => {
      const objects = new CountedObjects();
      objects.note(keys, noContent, firstHour + 40, formOf(form));
      objects.learn(recordOf([1, 2, 3].map((hour) => ({ hour, form: one, since: 0 }))));
      return objects;
    };
    expect(sinceIn(found(one))).toBe(firstHour + 1);
    expect(sinceIn(found(other))).toBe(firstHour + 41);

    // It was another one, or was not known, for an hour.
    const interrupted = recordOf([
      { hour: 1, form: one, since: 0 },
      { hour: 2, form: other, since: 0 },
      { hour: 4, form: one, since: 0 },
      { hour: 5, form: one, since: 6 },
      { hour: 7, form: one, since: 6 },
    ]);
    const objects = new CountedObjects();
    objects.note(keys, noContent, firstHour + 40, formOf(one));
    objects.learn(interrupted);
    expect(sinceIn(objects)).toBe(firstHour + 7);

    // What was learnt does not hold after a change.
    const changed = found(one);
    changed.note(keys, noContent, firstHour + 50, formOf(other));
    changed.note(keys, noContent, firstHour + 60, formOf(one));
    expect(sinceIn(changed)).toBe(firstHour + 61);
  });
});

describe("the forms of the live policies in a plan", () => {
  it("are those of the service, whatever is declared", ({ expect }) => {
    const live = [
      livePolicy("p1", { description: marked("Scripts", owner, "checkout") }),
      livePolicy("p2", { description: marked("Scripts", owner, "cart"), action: "allow" }),
      livePolicy("p3"),
    ];
    const blocked = policy("checkout", { action: "allow", value: "script-src 'none'" });
    const { policyForms } = plannedPolicies(
      declared([blocked, policy("cart"), policy("new")]),
      live,
    );
    expect(policyForms).toEqual(
      new Map([
        ["policy/checkout", policyForm(policy("checkout"))],
        ["policy/cart", policyForm(policy("cart", { action: "allow", description: "other" }))],
      ]),
    );
    expect(policyForm(policy("cart"))).not.toBe(policyForm(policy("cart", { enabled: false })));
  });
});
