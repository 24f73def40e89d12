import * as fc from "fast-check";

import type { Promotion, PromotedField, StepValue } from "../../src/zone/promotion.ts";
import { promotion } from "./model.ts";

const orders: Readonly<Record<PromotedField, readonly StepValue[]>> = {
  action: ["log", "managed_challenge", "block"],
  paranoia_level: [1, 2, 3, 4],
  score_threshold: [60, 40, 25],
};

/** The steps to a declared value, of which one may be known; none where no step is before it. */
export function stepsTo(
  field: PromotedField,
  value: StepValue | undefined,
  order = orders[field],
): fc.Arbitrary<Promotion | undefined> {
  const end = value === undefined ? 0 : order.indexOf(value);
  if (end < 1) return fc.constant(undefined);
  return fc.nat(end - 1).chain((start) => {
    const [first = "", second = "", ...others] = order.slice(start, end + 1);
    const at = fc.option(fc.nat(end - start), { nil: undefined });
    const found = at.map((known) =>
      promotion({ field, steps: [first, second, ...others], at: known }),
    );
    return fc.option(found, { nil: undefined, freq: 2 });
  });
}
