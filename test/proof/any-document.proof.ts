import { describe, it } from "vitest";

import { brokenPromise } from "../support/load-one.ts";
import { schemaDocument } from "../support/schema-documents.ts";
import { threadTimeOf } from "../support/thread-time.ts";

const count = 8_000;
const firstSeed = 20_261_122;

describe(`${count} documents made from the schema, half of them damaged`, () => {
  it(
    "never make a step of loading throw, nor work for more than a second",
    {
      timeout: 3_600_000,
    },
    ({ expect }) => {
      let slowest = { seed: 0, ms: 0 };
      for (let seed = firstSeed; seed < firstSeed + count; seed += 1) {
        const text = schemaDocument(seed);
        const ms = threadTimeOf(() => {
          try {
            const broken = brokenPromise(text);
            if (broken !== undefined) throw new Error(broken);
          } catch (error) {
            throw new Error(`seed ${seed}:\n${text}`, { cause: error });
          }
        });
        if (ms > slowest.ms) slowest = { seed, ms };
      }
      expect(slowest.ms, `seed ${slowest.seed}`).toBeLessThan(1_000);
    },
  );
});
