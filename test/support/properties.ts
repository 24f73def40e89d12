import * as fc from "fast-check";

// In CI every property is tried with the same cases each time, so that a failure means a change. Elsewhere each run has
// new cases, and a failure prints its seed.
if (process.env["CI"] === "true") {
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_121 });
}

/** `npm run proof` sets 1 (vitest.proof.config.ts). */
const factor = Number(process.env["PROPERTY_CASES_FACTOR"] ?? "0.2");

/** How many cases to try a property with: `npm test` takes a fifth of the count, `npm run proof` all of it. */
export function cases(count: number): { readonly numRuns: number } {
  return { numRuns: Math.ceil(count * factor) };
}

/** Rows of a table whose tests are slow: at most `count`, evenly spread, in `npm test`; all of them in `npm run proof`. */
export function someOf<T>(rows: readonly T[], count: number): readonly T[] {
  const step = factor < 1 ? Math.ceil(rows.length / count) : 1;
  return rows.filter((_, index) => index % step === 0);
}
