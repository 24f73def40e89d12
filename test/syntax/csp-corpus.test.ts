import { describe, it } from "vitest";

import { checkCsp } from "../../src/syntax/csp/check-csp.ts";
import { canonicalCsp } from "../../src/syntax/csp/csp.ts";
import { cspCorpus } from "./corpus/csp-values.ts";

describe("content security policies in public documentation", () => {
  for (const { from, values } of cspCorpus) {
    it.for(values)(`${from}: %s`, ([text, ...codes], { expect }) => {
      const diagnostics = checkCsp(text);
      expect(diagnostics.map(({ code }) => code).toSorted()).toEqual(codes.toSorted());
      expect(canonicalCsp(canonicalCsp(text))).toBe(canonicalCsp(text));
    });
  }

  it("are at least 80, a third of them with diagnostics", ({ expect }) => {
    const all = cspCorpus.flatMap(({ values }) => values);
    expect(new Set(all.map(([text]) => text)).size).toBeGreaterThanOrEqual(80);
    expect(all.filter(([, ...codes]) => codes.length > 0).length).toBeGreaterThanOrEqual(27);
  });
});
