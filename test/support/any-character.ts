import * as fc from "fast-check";

/** Any code point but half a surrogate pair, as the unit of a string: `"binary"` first makes a table of all of them. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: 0x10_f7_ff })
  .map((nth) => String.fromCodePoint(nth < 0xd8_00 ? nth : nth + 0x8_00));
