import { describe, it } from "vitest";

import { csvText } from "../../src/render/csv-cell.ts";

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
    { value: "a;b", cell: '"a;b"' },
    { value: "a\tb", cell: '"a\tb"' },
    { value: "a;=1+1", cell: '"a;=1+1"' },
    { value: "a\rb", cell: String.raw`a\u000db` },
    { value: "a\u001B[8mb\r\u001B[2K", cell: String.raw`a\u001b[8mb\u000d\u001b[2K` },
    { value: "\u202Ea\u0007", cell: String.raw`\u202ea\u0007` },
    { value: "=1+1", cell: "'=1+1" },
    { value: "+1", cell: "'+1" },
    { value: "-1", cell: "'-1" },
    { value: "@a", cell: "'@a" },
    { value: "\t=1", cell: '"\'\t=1"' },
    { value: "\n=1", cell: '"\'\n=1"' },
    { value: "\r=1", cell: String.raw`'\u000d=1` },
    { value: "＝1", cell: "'＝1" },
    { value: '=HYPERLINK("a",1)', cell: '"\'=HYPERLINK(""a"",1)"' },
  ])("of $value is $cell", ({ value, cell }, { expect }) => {
    expect(csvText([[value, "end"]])).toBe(`${cell},end\r\n`);
  });
});
