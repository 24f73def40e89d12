import { describe, it } from "vitest";

import { fenced, markdownCode, markdownText } from "../../src/render/format.ts";
import { renderMarkdown } from "../../src/render/plan-markdown.ts";
import { applied, planned, runOf } from "../support/plan-stories.ts";

describe("a plan as Markdown", () => {
  it("reads as this in a pull request", async ({ expect }) => {
    await expect(renderMarkdown(runOf(planned))).toMatchFileSnapshot("../golden/plan.md");
  });

  it("shows the outcomes of an apply", ({ expect }) => {
    expect(renderMarkdown(runOf(applied))).toContain("### shop.example.com: 2 of 6 requests done");
  });

  it("lets no text from the service become markup, a link or a mention", ({ expect }) => {
    const text = renderMarkdown(runOf(planned.filter(({ zone }) => zone.startsWith("hostile"))));
    const outsideCode = text.replaceAll(/^```diff$[^]*?^```$/gm, "").replaceAll(/`[^`]*`/g, "");
    expect(outsideCode).not.toMatch(/(?<!\\)[<>]|(?<!\\)\]\(|@everyone/);
    expect(text).not.toContain("\n# not a heading");
  });

  it("fits into a comment, with the number of omitted zones", ({ expect }) => {
    const many = Array.from({ length: 60 }, () => planned).flat();
    const text = renderMarkdown(runOf(many));
    expect(text.length).toBeLessThan(61_000);
    expect(text).toMatch(/_\d+ more zones did not fit: run `zonewarden plan` to see all._/);
  });
});

describe("text in Markdown", () => {
  it.for([
    { when: "plain", text: "Scripts of the checkout", yields: "Scripts of the checkout" },
    { when: "a table's bar", text: "a|b", yields: String.raw`a\|b` },
    { when: "emphasis", text: "*a* _b_ ~c~", yields: String.raw`\*a\* \_b\_ \~c\~` },
    { when: "an entity", text: "&lt;", yields: String.raw`\&lt;` },
    { when: "an address", text: "https://a.example", yields: String.raw`https\://a.example` },
    {
      when: "an address without scheme",
      text: "WWW.a.example",
      yields: String.raw`WWW\.a.example`,
    },
    { when: "a mention", text: "@all", yields: "@\u200Ball" },
    { when: "several lines", text: "a\nb", yields: String.raw`a\\u\{a\}b` },
  ])("stays text: $when", ({ text, yields }, { expect }) => {
    expect(markdownText(text)).toBe(yields);
  });

  it.for([
    { text: "a", yields: "`a`" },
    { text: "a|b", yields: String.raw`${"`"}a\|b${"`"}` },
    { text: "`a``b", yields: "``` `a``b ```" },
    { text: "", yields: "`  `" },
  ])("stands in a code span: $text", ({ text, yields }, { expect }) => {
    expect(markdownCode(text)).toBe(yields);
  });

  it("cannot end the block that it stands in", ({ expect }) => {
    expect(fenced("diff", ["+ a", "````"])).toBe("`````diff\n+ a\n````\n`````\n");
  });
});
