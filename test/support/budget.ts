import { Budget, type BudgetOptions } from "../../src/api/budget/budget.ts";
import type { SimulatedClock } from "./clock.ts";

/** The limits of the real service, with a fifth left to others. */
export const defaultBudget: BudgetOptions = {
  limit: 1_200,
  windowMs: 300_000,
  reserve: 0.2,
  concurrency: 8,
  maxWaitMs: 900_000,
};

/** A budget of a test. */
export function budgetOf(clock: SimulatedClock, options: Partial<BudgetOptions> = {}): Budget {
  return new Budget({ ...defaultBudget, ...options }, clock);
}
