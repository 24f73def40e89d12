import * as fc from "fast-check";

// In CI every property is tried with the same cases each time, so that a failure means a change. Elsewhere each run has
// new cases, and a failure prints its seed.
if (process.env["CI"] === "true") {
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_121 });
}

/** `npm run proof` tries the properties with ten times as many cases (vitest.proof.config.ts), `npm run mutate` with fewer. */
const factor = Number(process.env["PROPERTY_CASES_FACTOR"] ?? "1");

/** How many cases to try a property with. */
export function cases(count: number): { readonly numRuns: number } {
  return { numRuns: Math.ceil(count * factor) };
}
