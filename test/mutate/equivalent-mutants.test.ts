import { readFileSync } from "node:fs";

import { describe, it } from "vitest";

import { equivalentMutants } from "./equivalent-mutants.ts";
import { isListed, mutationsOf } from "./mutations.ts";

describe("the mutants that may survive", () => {
  it("each are in the line that is told, or the only one of their file", ({ expect }) => {
    const stale = equivalentMutants.filter((each) => {
      const all = mutationsOf(readFileSync(each.file, "utf8"));
      const found = all.filter((one) => isListed(one, each));
      return each.line === undefined ? found.length !== 1 : found.length === 0;
    });
    expect(stale).toEqual([]);
    const keys = equivalentMutants.map(({ file, how, line }) => `${file} ${how} ${line}`);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
