import { equivalentInApi } from "./equivalent-in-api.ts";
import { equivalentInAudit } from "./equivalent-in-audit.ts";
import { equivalentInCauses } from "./equivalent-in-causes.ts";
import { equivalentInCsp } from "./equivalent-in-csp.ts";
import { equivalentInImpact } from "./equivalent-in-impact.ts";
import { equivalentInImport } from "./equivalent-in-import.ts";
import { equivalentInOverlap } from "./equivalent-in-overlap.ts";
import { equivalentInPlanRules } from "./equivalent-in-plan-rules.ts";
import { equivalentInPlan } from "./equivalent-in-plan.ts";
import { equivalentInQueue } from "./equivalent-in-queue.ts";
import { equivalentInReads } from "./equivalent-in-reads.ts";
import { equivalentInReconcile } from "./equivalent-in-reconcile.ts";
import { equivalentInRequests } from "./equivalent-in-requests.ts";
import { equivalentInRuns } from "./equivalent-in-runs.ts";
import { equivalentInSchedule } from "./equivalent-in-schedule.ts";
import { equivalentInSyntax } from "./equivalent-in-syntax.ts";
import { equivalentInWrites } from "./equivalent-in-writes.ts";

/** A mutant that no test can or should notice. */
export interface EquivalentMutant {
  readonly file: string;
  /** The change, as `npm run mutate` prints it. */
  readonly how: string;
  /** The line of the change without its indentation, where the file has the same change in several places. */
  readonly line?: string;
  /** Why the program does the same for everyone who uses it. */
  readonly why: string;
}

/**
 * Survivors that were looked at. They count as survivors; `npm run mutate` does not list them again. A test fails if one is
 * not a mutant of its file any more.
 */
export const equivalentMutants: readonly EquivalentMutant[] = [
  {
    file: "src/syntax/expression/expression-codes.ts",
    how: "129 → 130",
    line: 'EXPR_TOO_DEEP: error("over 128 levels of nesting", `${"(".repeat(129)}ssl${")".repeat(129)}`),',
    why: "It is an example; any number over 128 will do.",
  },
  {
    file: "src/syntax/expression/expression-codes.ts",
    how: "65 → 66",
    why: "It is an example; any number over 64 will do.",
  },
  {
    file: "src/syntax/expression/expression.ts",
    how: "parsed.size >= maxParsed → false",
    why: "The size of a cache.",
  },
  {
    file: "src/syntax/nearest.ts",
    how: "row[index] ?? Infinity → (row[index])",
    why: "No index is asked that is not in the row, but where two letters cannot be swapped.",
  },
  {
    file: "src/syntax/expression/operand-type.ts",
    how: "^ → (nothing)",
    why: "Every name of a type starts with that of its container.",
  },
  ...equivalentInApi,
  ...equivalentInAudit,
  ...equivalentInCsp,
  ...equivalentInImpact,
  ...equivalentInOverlap,
  ...equivalentInPlan,
  ...equivalentInImport,
  ...equivalentInCauses,
  ...equivalentInPlanRules,
  ...equivalentInQueue,
  ...equivalentInReads,
  ...equivalentInReconcile,
  ...equivalentInRequests,
  ...equivalentInRuns,
  ...equivalentInSchedule,
  ...equivalentInSyntax,
  ...equivalentInWrites,
];
