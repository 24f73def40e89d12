import type { PlantedBug } from "./planted-bug.ts";
import { reportBugs } from "./report-bugs.ts";
import { requestBugs } from "./request-bugs.ts";
import { ruleBugs } from "./rule-bugs.ts";
import { rulesetBugs } from "./ruleset-bugs.ts";
import { writeBugs } from "./write-bugs.ts";

/** Bugs that the simulation catches. Each is planted by another text at one place of one file. */
export const plantedBugs: readonly PlantedBug[] = [
  ...requestBugs,
  ...writeBugs,
  ...reportBugs,
  ...ruleBugs,
  ...rulesetBugs,
];
