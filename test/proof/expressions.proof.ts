import { describe, it } from "vitest";

import { adviseExpression } from "../../src/syntax/expression/advice/advise-expression.ts";
import { engineExpressions } from "./engine-expressions.ts";
import { noEngine, startEngine } from "./engine.ts";

const why = noEngine();

/** Generated and mutated expressions; the seed makes them the same on every machine. */
const seed = 20261122;
const count = 150_000;

/** Whether an expression is compared: it is not empty, and not longer than the service takes. */
function isComparable(text: string): boolean {
  return text.trim() !== "" && text.length <= 4096;
}

describe.skipIf(why !== undefined)(`The public engine ${why ?? ""}`, () => {
  it(
    "takes what validate takes, and refuses what validate reports",
    { timeout: 900_000 },
    async ({ expect }) => {
      const texts = [...new Set(engineExpressions(seed, count))].filter(isComparable);
      expect(texts.length).toBeGreaterThan(100_000);
      await using engine = startEngine();
      const errors = await engine.errorsOf(texts);
      const taken = errors.filter((error) => error === undefined).length;
      expect(taken).toBeGreaterThan(20_000);
      const wronglyRefused: string[] = [];
      const silent: string[] = [];
      for (const [index, text] of texts.entries()) {
        const diagnostics = adviseExpression(text, "request");
        if (errors[index] !== undefined) {
          if (diagnostics.length === 0) silent.push(text);
        } else if (diagnostics.some(({ severity }) => severity === "error")) {
          wronglyRefused.push(text);
        }
      }
      expect(wronglyRefused).toEqual([]);
      expect(silent.length, silent.slice(0, 20).join("\n")).toBeLessThan(texts.length * 0.003);
    },
  );
});
