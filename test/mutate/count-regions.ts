import { afterAll } from "vitest";

import { regionCounter } from "./region-counter.ts";

declare module "vitest" {
  interface TaskMeta {
    /** The regions of the mutated module that ran while the file of tests was imported, and while its tests ran. */
    regions?: readonly string[];
  }
}

// A set-up file: it is loaded before each file of tests, in a process of its own.
// oxlint-disable-next-line no-empty-pattern -- vitest refuses a hook whose first parameter is no pattern
afterAll(({}, suite) => {
  const ran: unknown = Reflect.get(globalThis, regionCounter);
  if (ran instanceof Set) suite.meta.regions = [...ran].map(String);
});
