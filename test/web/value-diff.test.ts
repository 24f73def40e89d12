import * as fc from "fast-check";
import { describe, it } from "vitest";

import { textOfHtml } from "../../src/render/html.ts";
import { renderSides, renderValue } from "../../src/web/pages/value-diff.ts";

/** What a reader sees, with `-…-` around what is only before and `+…+` around what is only after. */
function shown(before: Parameters<typeof renderSides>[0], after: typeof before): readonly string[] {
  const sides = renderSides(before, after);
  return [sides.before, sides.after].map((side) =>
    textOfHtml(side)
      .replaceAll(/<\/?del>/g, "-")
      .replaceAll(/<\/?ins>/g, "+")
      .replaceAll(/<[^>]*>/g, ""),
  );
}

describe("two sides of a field", () => {
  it.for([
    { when: "a word changed", before: "log", after: "allow", is: ["-log-", "+allow+"] },
    {
      when: "a source moved to another directive, though both have it somewhere",
      before: "script-src a.example; img-src b.example",
      after: "script-src b.example; img-src b.example",
      is: [
        "script-src -a.example-; img-src b.example",
        "script-src +b.example+; img-src b.example",
      ],
    },
    {
      when: "something was added at the end",
      before: "img-src a.example",
      after: "img-src a.example b.example",
      is: ["img-src a.example", "img-src a.example+ ++b.example+"],
    },
    { when: "one is not there", before: undefined, after: true, is: ["none", "+true+"] },
    { when: "one is empty", before: "", after: "a", is: ["empty", "+a+"] },
    {
      when: "a list gained a text",
      before: ["http_ratelimit"],
      after: ["http_ratelimit", "http_request_firewall_managed"],
      is: ["http_ratelimit", "http_ratelimit+,++ ++http_request_firewall_managed+"],
    },
    { when: "a list is empty", before: [], after: ["bic"], is: ["-[]-", "+bic+"] },
    {
      when: "a list has other values than texts",
      before: ["a", 1],
      after: ["a", 2],
      is: ["[\n  &quot;a&quot;,\n-  1\n-]", "[\n  &quot;a&quot;,\n+  2\n+]"],
    },
    {
      when: "a line of a structure changed",
      before: { level: 1, on: true },
      after: { level: 2, on: true },
      is: [
        "{\n-  &quot;level&quot;: 1,\n-  &quot;on&quot;: true\n}",
        "{\n+  &quot;level&quot;: 2,\n+  &quot;on&quot;: true\n}",
      ],
    },
  ])("when $when", ({ before, after, is }, { expect }) => {
    expect(shown(before, after)).toEqual(is);
  });

  it("are shown whole, and marked exactly where they differ", ({ expect }) => {
    const text = fc
      .array(fc.constantFrom("a", "b", ";", "(", " ", "  ", "\n", "x.example"), { maxLength: 30 })
      .map((parts) => parts.join(""))
      .filter((made) => made !== "");
    fc.assert(
      fc.property(text, text, (before, after) => {
        const [left = "", right = ""] = shown(before, after);
        expect(left.replaceAll("-", "")).toBe(before);
        expect(right.replaceAll("+", "")).toBe(after);
        expect(left.includes("-") || right.includes("+")).toBe(before !== after);
      }),
    );
  });

  it("are marked as a whole where comparing would take too long", ({ expect }) => {
    const long = "a ".repeat(1_500);
    expect(shown(long, "c")).toEqual([`-${long}-`, "+c+"]);
  });

  it("that stand alone are marked nowhere", ({ expect }) => {
    expect(textOfHtml(renderValue("script-src 'self'"))).toBe(
      '<code class="value">script-src &#39;self&#39;</code>',
    );
    expect(textOfHtml(renderValue(["bic", "hot"]))).toBe('<code class="value">bic, hot</code>');
  });
});
