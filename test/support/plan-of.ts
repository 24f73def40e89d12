import { plan, type Plan } from "../../src/plan/plan.ts";
import { carriedOut, declared, desiredZone, liveZone, owner, policy } from "./model.ts";

/** A plan that keeps, updates and deletes so many policies. */
export function policyPlan(kept: number, updated: number, deleted: number): Plan {
  const keys = Array.from({ length: kept + updated + deleted }, (_, n) => `p${n}`);
  return plan(
    desiredZone({ policies: declared(keys.slice(0, kept + updated).map((key) => policy(key))) }),
    liveZone({
      policies: keys.map((key, n) =>
        carriedOut(key, policy(key), {
          enabled: n < kept || n >= kept + updated,
        }),
      ),
    }),
    owner,
  );
}
