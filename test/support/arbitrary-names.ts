import * as fc from "fast-check";

/** Another owner of objects in the same zone. */
export const otherOwner = "team-b";

/** One of few keys, so that they meet. */
export const someKey: fc.Arbitrary<string> = fc.constantFrom("a", "b", "c", "d");

/** Descriptions, those included that resemble a mark. */
export const someWords: fc.Arbitrary<string> = fc.constantFrom(
  "",
  "Words",
  "Twin",
  "Checkout",
  "Theirs [team-b:a]",
  "[zonewarden]",
);
