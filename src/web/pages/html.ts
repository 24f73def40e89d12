const markup: unique symbol = Symbol("markup");

/** Text that is HTML already. Only {@link html} makes it, so nothing unescaped can get into a page. */
export interface Html {
  readonly [markup]: string;
}

/** What can stand in a template: text is escaped, HTML is not; `undefined` and `false` are nothing. */
export type Part = Html | string | number | false | undefined | readonly Part[];

/** A template of HTML; every part is escaped unless it is HTML itself. Attributes stand in double quotes. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let result = texts[0] ?? "";
  for (const [at, part] of parts.entries()) result += markupOf(part) + (texts[at + 1] ?? "");
  return { [markup]: result };
}

/** The text of a finished page. */
export function textOfHtml(page: Html): string {
  return page[markup];
}

function markupOf(part: Part): string {
  if (part === undefined || part === false) return "";
  if (typeof part === "number") return String(part);
  if (typeof part === "string") return escaped(part);
  if (markup in part) return part[markup];
  return part.map(markupOf).join("");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Text as markup that shows it and nothing else. Characters that would be invisible or would turn the text around
 * are shown as what they are, `⟨U+202E⟩`: a value that is judged by eye must not look like another one.
 */
function escaped(text: string): string {
  return text
    .replaceAll(/[&<>"']/g, (found) => entities[found] ?? "")
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu, (found) =>
      found === "\n" ? found : `⟨U+${hexadecimal(found)}⟩`,
    );
}

function hexadecimal(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}
