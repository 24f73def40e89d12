import { describe, it } from "vitest";

import { parseZoneFile } from "../../src/desired/load/parse-zone-file.ts";
import { brokenPromise } from "../support/load-one.ts";
import { cases } from "../support/properties.ts";
import { schemaDocument } from "../support/schema-documents.ts";

describe("documents made from the schema", () => {
  const first = Math.floor(Math.random() * 1_000_000_000);
  const count = cases(400).numRuns;

  it(`never make a step of loading throw (seeds from ${first})`, ({ expect }) => {
    for (let seed = first; seed < first + count; seed += 1) {
      const text = schemaDocument(seed);
      try {
        const broken = brokenPromise(text);
        expect(broken, `seed ${seed}`).toBeUndefined();
      } catch (error) {
        throw new Error(`seed ${seed}:\n${text}`, { cause: error });
      }
    }
  });

  it("are often valid, and use every key of the schema", ({ expect }) => {
    let valid = 0;
    const seen = new Set<string>();
    for (let seed = 0; seed < 1_500; seed += 1) {
      const text = schemaDocument(seed);
      for (const [, key] of text.matchAll(/(\w+): /g)) seen.add(key ?? "");
      const { zones } = parseZoneFile("a.yaml", "", new TextEncoder().encode(text));
      if (zones.length > 0) valid += 1;
    }
    expect(valid).toBeGreaterThan(10);
    for (const key of ["paranoia_level", "sensitivity_level", "acknowledge", "until", "match"]) {
      expect(seen).toContain(key);
    }
  });
});
