import { describe, it } from "vitest";

import { terminalSafe } from "../../src/render/terminal-safe.ts";

describe("text for a stream", () => {
  it.for([
    { text: "\u001B]0;title\u0007", safe: String.raw`\u001b]0;title\u0007` },
    { text: "\u001B[8mhidden", safe: String.raw`\u001b[8mhidden` },
    { text: "\u001B[2J\u009B2J", safe: String.raw`\u001b[2J\u009b2J` },
    { text: "a\rb\u007F", safe: String.raw`a\u000db\u007f` },
    { text: "x\u202Ey\u2066z", safe: String.raw`x\u202ey\u2066z` },
    { text: "tab\tline\nend\r\n", safe: "tab\tline\nend\r\n" },
    { text: "\u001B[31mred\u001B[39m", safe: "\u001B[31mred\u001B[39m" },
    { text: "\r\u001B[2Kreading", safe: "\r\u001B[2Kreading" },
    { text: "grüße 👩‍🚀", safe: "grüße 👩‍🚀" },
  ])("escapes what steers a terminal: $safe", ({ text, safe }, { expect }) => {
    expect(terminalSafe(text)).toBe(safe);
  });

  it("leaves the values of JSON as they are", ({ expect }) => {
    const value = { name: "a\u001B[2J\u009B\u202Eb\u007F" };
    expect(JSON.parse(terminalSafe(JSON.stringify(value)))).toEqual(value);
  });
});
