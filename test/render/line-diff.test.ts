import * as fc from "fast-check";
import { describe, it } from "vitest";

import { unifiedDiff } from "../../src/render/line-diff.ts";
import { cases } from "../support/properties.ts";

function textOf(...lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

/** The text after the difference, as `patch` makes it. */
function patched(before: string, diff: string): string {
  const lines = before.split("\n").slice(0, -1);
  const result: string[] = [];
  let at = 0;
  for (const line of diff.split("\n").slice(2, -1)) {
    const start = /^@@ -(\d+)/.exec(line)?.[1];
    if (start !== undefined) {
      result.push(...lines.slice(at, Number(start) - 1));
      at = Number(start) - 1;
    } else if (line.startsWith("+")) result.push(line.slice(1));
    else {
      if (lines[at] !== line.slice(1)) throw new Error(`the diff has another line ${at}`);
      if (line.startsWith(" ")) result.push(line.slice(1));
      at += 1;
    }
  }
  return textOf(...result, ...lines.slice(at));
}

describe("a unified difference", () => {
  it("has three lines around each change", ({ expect }) => {
    const numbers = Array.from({ length: 20 }, (_, index) => `${index + 1}`);
    const after = numbers.flatMap((line) =>
      line === "5" ? ["five", "5.5"] : line === "17" ? [] : [line],
    );
    expect(unifiedDiff("a", textOf(...numbers), textOf(...after))).toBe(`--- a
+++ a
@@ -2,7 +2,8 @@
 2
 3
 4
-5
+five
+5.5
 6
 7
 8
@@ -14,7 +15,6 @@
 14
 15
 16
-17
 18
 19
 20
`);
  });

  it("is empty for equal texts", ({ expect }) => {
    expect(unifiedDiff("a", "x\n", "x\n")).toBe("");
  });

  it("leads from one text to the other", ({ expect }) => {
    const text = fc
      .array(fc.constantFrom("a", "b", "c", ""), { maxLength: 40 })
      .map((lines) => textOf(...lines));
    fc.assert(
      fc.property(text, text, (before, after) => {
        if (before !== after) expect(patched(before, unifiedDiff("f", before, after))).toBe(after);
      }),
      cases(2_000),
    );
  });

  it("of two long texts is one change", ({ expect }) => {
    const [before, after] = ["a", "b"].map((word) => word.concat("\n").repeat(3_000));
    const diff = unifiedDiff("f", before ?? "", after ?? "");
    expect(patched(before ?? "", diff)).toBe(after);
  });
});
