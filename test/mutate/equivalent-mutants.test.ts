import { readFileSync } from "node:fs";

import { describe, it } from "vitest";

import { equivalentMutants } from "./equivalent-mutants.ts";
import { isListed, mutationsOf } from "./mutations.ts";

describe("the mutants that may survive", () => {
  it("each are one mutant of their file, which is argued once", ({ expect }) => {
    const stale = equivalentMutants.filter(
      (each) =>
        mutationsOf(readFileSync(each.file, "utf8")).filter((one) => isListed(one, each)).length !==
        1,
    );
    expect(stale).toEqual([]);
    const keys = equivalentMutants.map(({ file, how, line }) => `${file} ${how} ${line}`);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
