import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Starts the files with these names first: started last, a slow one would keep a single core busy at the end. */
export function startingWith(names: readonly string[]): typeof BaseSequencer {
  const rank = ({ moduleId }: TestSpecification): number => {
    const place = names.findIndex((name) => moduleId.includes(`/${name}.`));
    return place < 0 ? names.length : place;
  };
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
    }
  };
}
