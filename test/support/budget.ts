import { Budget, type BudgetOptions } from "../../src/api/budget/budget.ts";
import type { RequestPriority } from "../../src/zone/ports.ts";
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

const never = new AbortController().signal;

/** Ten requests a second, none of them reserved. */
export const ten: Partial<BudgetOptions> = {
  limit: 10,
  windowMs: 1_000,
  reserve: 0,
  concurrency: 100,
};

/** Requests that are answered in the moment in which they are sent; gives these moments. */
export async function requests(
  budget: Budget,
  clock: SimulatedClock,
  count: number,
  priority: RequestPriority,
): Promise<readonly number[]> {
  return clock.run(
    Promise.all(
      Array.from({ length: count }, async () => {
        const permit = await budget.acquire(priority, never);
        permit.end("answered", undefined);
        return clock.monotonicMs();
      }),
    ),
  );
}
