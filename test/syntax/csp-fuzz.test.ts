import * as fc from "fast-check";
import { describe, it } from "vitest";

import { checkCsp } from "../../src/syntax/csp/check-csp.ts";
import { compareCsp } from "../../src/syntax/csp/compare-csp.ts";
import { canonicalCsp, parseCsp, printCsp } from "../../src/syntax/csp/csp.ts";
import { cases } from "../support/properties.ts";
import { cspCorpus } from "./corpus/csp-values.ts";
import { mutants, soup } from "./mutant.ts";

const corpus = cspCorpus.flatMap(({ values }) => values.map(([text]) => text));

const words =
  "default-src script-src img-src worker-src frame-ancestors report-to upgrade-insecure-requests foo-src " +
  "; ;; 'self' 'SELF' 'none' 'unsafe-inline' 'nonce-Ab' 'sha256-Ab+/=' * *.example.com a.example.com " +
  "HTTPS://A.example.com https: data: http://a:80/Path/ ws: , é \0 '";

const pieces = [...words.split(" "), "\t", "\n", "\f"];

/** What holds for every text whatever. */
function examine(text: string): string | undefined {
  const diagnostics = checkCsp(text);
  const outside = diagnostics.find(
    ({ offset, length }) => offset < 0 || offset + length > text.length,
  );
  if (outside !== undefined) return `${outside.code} lies outside the text`;
  const canonical = canonicalCsp(text);
  if (canonicalCsp(canonical) !== canonical) return `is not yet canonical: ${canonical}`;
  if (compareCsp(text, canonical).changes.length > 0) return `means something else: ${canonical}`;
  const printed = printCsp(parseCsp(text));
  return printCsp(parseCsp(printed)) === printed ? undefined : `prints ${printed}`;
}

describe("any text as a policy", () => {
  it("has diagnostics inside the text: mutants of public policies", ({ expect }) => {
    fc.assert(
      fc.property(mutants(corpus, pieces), (text) => {
        expect(examine(text)).toBeUndefined();
      }),
      cases(1_000),
    );
  });

  it("has diagnostics inside the text: random directives and sources", ({ expect }) => {
    fc.assert(
      fc.property(soup(pieces, [" ", " ", ";", "\n", ""]), (text) => {
        expect(examine(text)).toBeUndefined();
      }),
      cases(1_000),
    );
  });

  it("has one canonical form, whatever the order, case and spaces", ({ expect }) => {
    const policy = fc.uniqueArray(
      fc.tuple(
        fc.constantFrom("default-src", "script-src", "img-src", "foo-src"),
        fc.array(fc.constantFrom("'self'", "a.example", "*.b.example", "https:", "data:", "*")),
      ),
      { selector: ([name]) => name },
    );
    fc.assert(
      fc.property(policy, fc.infiniteStream(fc.nat()), (directives, order) => {
        const shuffled = directives
          .map(([name, sources]) => [name, shuffle(sources, order)] as const)
          .map(([name, sources]) => ` ${name.toUpperCase()} \t${sources.join("\n  ")} `);
        const plain = directives.map(([name, sources]) => [name, ...sources].join(" ")).join(";");
        expect(canonicalCsp(shuffle(shuffled, order).join(";;"))).toBe(canonicalCsp(plain));
      }),
      cases(1_000),
    );
  });
});

function shuffle<T>(items: readonly T[], order: Iterator<number>): readonly T[] {
  return items
    .map((item) => ({ item, rank: Number(order.next().value) }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
