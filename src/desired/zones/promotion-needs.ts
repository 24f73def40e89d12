import type { ZoneContent } from "../../zone/desired-zone.ts";
import { promotedObjects } from "../../zone/promoted-objects.ts";
import { isRuleKind, kinds, type ResourceKey, rulesetIn } from "../../zone/resource.ts";
import { phaseOfKind } from "../../zone/rule-phase.ts";
import type { Config } from "../config/config.ts";
import type { UnplacedDiagnostic } from "../diagnostics.ts";
import type { Path } from "../location.ts";
import { policyList, ruleListOf, rulesetList } from "./zone-lists.ts";

/** What promotions need and the configuration does not have. */
export function promotionNeeds(
  content: ZoneContent,
  { store, measurements }: Pick<Config, "store" | "measurements">,
): readonly UnplacedDiagnostic[] {
  if (store !== undefined && measurements !== undefined) return [];
  return [...promotedObjects(content)].flatMap(([key, { promotion }]) => {
    const { when, rollback } = promotion;
    const path = [...pathOf(key), "promote"];
    const found: UnplacedDiagnostic[] = [];
    if (store === undefined) {
      const message = `the steps of ${key} are lost with each restart: the configuration has no \`store\``;
      const remedy = "add `store` to the configuration";
      found.push({ code: "PROMOTION_NOT_KEPT", path, atKey: true, message, remedy });
    }
    const isMeasured = when !== "time_only" || rollback !== undefined;
    if (isMeasured && measurements === undefined) {
      const what = when === "time_only" ? "sets it back" : "promotes it";
      const message = `nothing ever ${what}: ${key} needs counts, and the configuration has no \`measurements\``;
      const remedy = `add \`measurements\` to the configuration, or ${when === "time_only" ? "delete `rollback`" : "write `when: time_only`"}`;
      found.push({ code: "PROMOTION_UNMEASURED", path, atKey: true, message, remedy });
    }
    return found;
  });
}

/** Where a policy or a rule is in a zone. */
function pathOf(key: ResourceKey): Path {
  const kind = kinds.find((each) => key.startsWith(`${each}/`));
  const name = key.slice((kind ?? "").length + 1);
  const ruleset = rulesetIn(key);
  if (ruleset !== undefined) {
    return [...rulesetList, ruleset, "rules", name.slice(ruleset.length + 1)];
  }
  const list = kind !== undefined && isRuleKind(kind) ? ruleListOf(phaseOfKind(kind)) : policyList;
  return [...list, name];
}
