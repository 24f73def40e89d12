import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Starts the files with these names first: started last, a slow one would keep a single core busy at the end. */
export function startingWith(names: readonly string[]): typeof BaseSequencer {
  const rank = ({ moduleId }: TestSpecification): number => {
    const place = names.findIndex((name) => moduleId.includes(`/${name}.`));
    return place < 0 ? names.length : place;
  };
  class LongestFirst extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      // oxlint-disable-next-line unicorn/no-array-sort -- `sort` is a method of the sequencer, not of an array
      const specifications = await super.sort(files);
      return specifications.toSorted((a, b) => rank(a) - rank(b));
    }
  }
  return LongestFirst;
}
