import { type RulePhase, rulePhases } from "../../zone/rule-phase.ts";
import type { Path } from "../location.ts";

// A list of another kind stands here first: then its repeated keys and its `null` are told, and its
// placeholders are filled.

export const policyList: readonly string[] = ["page_shield", "policies", "items"];
export const scriptList: readonly string[] = ["page_shield", "scripts", "authorised"];
export const findingList: readonly string[] = ["page_shield", "scripts", "acknowledged"];

export const rulesetList: readonly string[] = ["custom_rulesets"];

/** Where the rules of a phase are in a zone. */
export function ruleListOf(phase: RulePhase): readonly string[] {
  return [phase, "rules"];
}

/** Where the lists of a zone are whose items have keys; not those within such items. */
export const zoneLists: readonly (readonly string[])[] = [
  policyList,
  ...rulePhases.map(ruleListOf),
  rulesetList,
  scriptList,
  findingList,
];

/** The keys of a zone that declare its resources. */
export const sections: ReadonlySet<Path[number]> = new Set(zoneLists.flatMap(([key = ""]) => key));
