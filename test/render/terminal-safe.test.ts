import { describe, it } from "vitest";

import { paintOf } from "../../src/render/format.ts";
import { terminalSafe } from "../../src/render/terminal-safe.ts";

describe("text for a stream", () => {
  it.for([
    { text: "\u001B]0;title\u0007", safe: String.raw`\u001b]0;title\u0007` },
    { text: "\u001B[8mhidden", safe: String.raw`\u001b[8mhidden` },
    { text: "\u001B[2J\u009B2J", safe: String.raw`\u001b[2J\u009b2J` },
    { text: "a\rb\u007F", safe: String.raw`a\u000db\u007f` },
    { text: "x\u202Ey\u2066z", safe: String.raw`x\u202ey\u2066z` },
    { text: "tab\tline\nend\r\n", safe: "tab\tline\nend\r\n" },
    { text: "a\r\u001B[2Khidden", safe: String.raw`a\u000d\u001b[2Khidden` },
    { text: "\u001B[37;40mx\u001B[30m", safe: String.raw`\u001b[37;40mx\u001b[30m` },
    { text: "\r\u001B[2Kreading", safe: "\r\u001B[2Kreading" },
    { text: "grüße 👩‍🚀", safe: "grüße 👩‍🚀" },
  ])("escapes what steers a terminal: $safe", ({ text, safe }, { expect }) => {
    expect(terminalSafe(text, { color: true })).toBe(safe);
    expect(terminalSafe(text, { color: false })).toBe(safe);
  });

  it.for([
    { color: true, safe: "\u001B[31mred\u001B[39m" },
    { color: false, safe: String.raw`\u001b[31mred\u001b[39m` },
  ])("has colours only where the stream has them: $color", ({ color, safe }, { expect }) => {
    expect(terminalSafe("\u001B[31mred\u001B[39m", { color })).toBe(safe);
  });

  it("keeps every colour that the program uses", ({ expect }) => {
    const styles = ["bold", "dim", "red", "green", "yellow", "magenta", "cyan"] as const;
    const painted = styles.map((style) => paintOf(true)(style, "x")).join("");
    expect(terminalSafe(painted, { color: true })).toBe(painted);
  });

  it("leaves the values of JSON as they are", ({ expect }) => {
    const value = { name: "a\u001B[2J\u009B\u202Eb\u007F" };
    expect(JSON.parse(terminalSafe(JSON.stringify(value), { color: false }))).toEqual(value);
  });
});
