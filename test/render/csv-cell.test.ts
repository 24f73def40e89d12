import { describe, it } from "vitest";

import { csvCell } from "../../src/render/evidence/csv-cell.ts";

describe("a cell of CSV", () => {
  it.for([
    { value: undefined, cell: "" },
    { value: null, cell: "" },
    { value: "plain", cell: "plain" },
    { value: 1.5, cell: "1.5" },
    { value: ["a", "b"], cell: "a b" },
    { value: { a: 1 }, cell: '"{""a"":1}"' },
    { value: "a,b", cell: '"a,b"' },
    { value: 'say "a"', cell: '"say ""a"""' },
    { value: "a\nb", cell: '"a\nb"' },
    { value: "a\rb", cell: '"a\rb"' },
    { value: "=1+1", cell: "'=1+1" },
    { value: "+1", cell: "'+1" },
    { value: "-1", cell: "'-1" },
    { value: "@a", cell: "'@a" },
    { value: "\t=1", cell: "'\t=1" },
    { value: "\r=1", cell: '"\'\r=1"' },
    { value: '=HYPERLINK("a",1)', cell: '"\'=HYPERLINK(""a"",1)"' },
  ])("of $value is $cell", ({ value, cell }, { expect }) => {
    expect(csvCell(value)).toBe(cell);
  });
});
