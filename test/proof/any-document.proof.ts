import { describe, it } from "vitest";
import { parseAllDocuments } from "yaml";

import { checkText } from "../../src/desired/load/check-text.ts";
import { brokenPromise } from "../support/load-one.ts";
import { schemaDocument } from "../support/schema-documents.ts";

const count = 20_000;
const firstSeed = 20_261_122;

/** Processor time of this thread in milliseconds. */
function spent(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  return process.threadCpuUsage(before).user / 1_000;
}

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
        const ms = spent(() => {
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

function list(length: number, item: (index: number) => string): string {
  return Array.from({ length }, (_, index) => item(index)).join("");
}

describe("a file that is twice as large", () => {
  it.for([
    { what: "keys", text: (n: number) => `zones: []\n${list(60 * n, (i) => `k${i}: 1\n`)}` },
    {
      what: "unused profiles",
      text: (n: number) => `profiles:\n${list(8 * n, (i) => `  p${i}: {}\n`)}`,
    },
    {
      what: "profiles in a chain",
      text: (n: number) =>
        `profiles:\n${list(8 * n, (i) => `  p${i}: { extends: [p${i + 1}] }\n`)}`,
    },
    {
      what: "zones without their profile",
      text: (n: number) =>
        `zones:\n${list(8 * n, (i) => `  - { name: z${i}.example, profiles: [p${i}] }\n`)}`,
    },
    {
      what: "zones with one name",
      text: (n: number) => `zones:\n${list(8 * n, () => "  - name: a.example\n")}`,
    },
    {
      what: "suppressions",
      text: (n: number) =>
        `${list(50 * n, () => "# zonewarden-disable-next-line CSP_NO_SELF -- a\n")}zones: []\n`,
    },
    {
      what: "documents",
      text: (n: number) => list(10 * n, (i) => `---\nzones: [{ name: z${i}.example }]\n`),
    },
    {
      what: "errors",
      text: (n: number) => `zones:\n${list(8 * n, () => "  - { nam: a.example }\n")}`,
    },
    {
      what: "policies of many zones",
      text: (n: number) =>
        `zones:\n${list(n / 4, (i) => `  - name: z${i}.example\n    page_shield: { policies: { items: [${list(20, (k) => `{ key: k${k}, action: log, expression: ssl, value: "img-src a${k}.example" }, `)}] } }\n`)}`,
    },
  ])(
    "takes about twice the time, or is refused: $what",
    { timeout: 600_000 },
    ({ text }, { expect }) => {
      const [small, large] = [text(1_000), text(2_000)];
      checkText("a.yaml", small);
      const rounds = 3;
      const least = (work: () => void): number =>
        Math.min(...Array.from({ length: rounds }, () => spent(work)));
      // Its check for repeated keys is quadratic.
      const yaml = least(() => void parseAllDocuments(large, { uniqueKeys: false }));
      const [once, twice] = [
        least(() => void checkText("a.yaml", small)),
        least(() => void checkText("a.yaml", large)),
      ];
      // Four times would be quadratic. What takes less than the parser does not matter.
      expect(twice).toBeLessThan(Math.max(3 * once, 3 * yaml));
    },
  );
});
