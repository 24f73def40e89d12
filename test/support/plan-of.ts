import { plan, type Plan } from "../../src/plan/plan.ts";
import { carriedOut, declared, desiredZone, liveZone, owner, policy } from "./model.ts";

/** A plan that keeps, updates and deletes so many policies. Updates strengthen, and may break. */
export function policyPlan(kept: number, updated: number, deleted: number): Plan {
  const policies = Array.from({ length: kept + updated + deleted }, (_, n) =>
    policy(`p${n}`, { action: "allow" }),
  );
  return plan(
    desiredZone({ policies: declared(policies.slice(0, kept + updated)) }),
    liveZone({
      policies: policies.map((each, n) =>
        carriedOut(each.key, each, { enabled: n < kept || n >= kept + updated }),
      ),
    }),
    owner,
  );
}
