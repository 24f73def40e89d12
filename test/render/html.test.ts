import * as fc from "fast-check";
import { describe, it } from "vitest";

import { html, textOfHtml } from "../../src/render/html.ts";
import { foreign, relative, revisionCode } from "../../src/web/pages/page-parts.ts";
import { at, start } from "../support/reports.ts";

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

function unescaped(markup: string): string {
  return markup.replaceAll(/&[a-z0-9#]+;/g, (entity) => entities[entity] ?? "?");
}

describe("a template", () => {
  const printable = fc
    .string({ unit: "grapheme" })
    .filter((text) => !/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u.test(text));

  it("shows every text as it is, and makes no markup of it", ({ expect }) => {
    fc.assert(
      fc.property(printable, (text) => {
        const made = textOfHtml(html`<p title="${text}">${text}</p>`);
        const [, attribute = "", content = ""] =
          /^<p title="([^"]*)">([^<]*)<\/p>$/s.exec(made) ?? [];
        expect(unescaped(attribute)).toBe(text);
        expect(unescaped(content)).toBe(text);
      }),
    );
  });

  it("keeps what is HTML already, and leaves out what is nothing", ({ expect }) => {
    const items = ["a", "<b>"].map((text) => html`<i>${text}</i>`);
    expect(textOfHtml(html`${items}${undefined}${false}${0}`)).toBe("<i>a</i><i>&lt;b&gt;</i>0");
  });
});

describe("text of others", () => {
  it("cannot turn the text around it, nor hide a character", ({ expect }) => {
    expect(textOfHtml(html`${"pay\u202Egnp.exe\u200b\u0000"}`)).toBe(
      "pay⟨U+202E⟩gnp.exe⟨U+200B⟩⟨U+0000⟩",
    );
    expect(textOfHtml(html`${"two\nlines"}`)).toBe("two\nlines");
  });

  it("stands isolated, so that it may run from right to left", ({ expect }) => {
    expect(textOfHtml(html`${foreign("مرحبا <b>")}`)).toBe("<bdi>مرحبا &lt;b&gt;</bdi>");
  });
});

describe("a moment", () => {
  it.for([
    { minutes: 0, says: "just now" },
    { minutes: 0.9, says: "just now" },
    { minutes: 1, says: "1 min ago" },
    { minutes: 59.9, says: "59 min ago" },
    { minutes: 60, says: "1 h ago" },
    { minutes: 47 * 60, says: "47 h ago" },
    { minutes: 48 * 60, says: "2 days ago" },
    { minutes: -0.5, says: "in a moment" },
    { minutes: -14, says: "in 14 min" },
  ])("$minutes minutes from now is $says", ({ minutes, says }, { expect }) => {
    expect(relative(start, at(minutes))).toBe(says);
  });
});

describe("a revision", () => {
  it.for([
    { revision: "8c9b6cfb5909a67682231d479f0f6b5da5aa4681", shown: "8c9b6cfb5909" },
    { revision: "v1.2.3", shown: "v1.2.3" },
  ])(
    "$revision is shown as $shown, and told whole on demand",
    ({ revision, shown }, { expect }) => {
      expect(textOfHtml(revisionCode(revision))).toBe(`<code title="${revision}">${shown}</code>`);
    },
  );
});
