import { describe, it } from "vitest";

import { MutantProcess } from "../mutate/mutant-process.ts";

/** Every mutant of the file is noticed by the tests of the file, and by none of the others. */
const file = "src/syntax/glob.ts";
const [own, others] = ["test/syntax/glob.test.ts", "test/syntax/nearest.test.ts"];

describe("a process that tries mutants", () => {
  it("counts only tests that failed with the mutant itself", async ({ expect }) => {
    using mutants = new MutantProcess();
    const tried = async (nth: number, tests: readonly string[]): Promise<readonly string[]> =>
      mutants.try({ file, nth, tests }, 60);
    expect(await tried(0, [own, others])).toEqual([own]);
    // These tests do not run the file. Those that failed before are not run again.
    expect(await tried(0, [others])).toEqual([]);
    expect(await tried(0, [others, own])).toEqual([own]);
  });
});
