const markup: unique symbol = Symbol("markup");

/** Text that is HTML already. Only {@link html} makes it, so nothing unescaped can get into a page. */
export interface Html {
  readonly [markup]: string;
}

/** What can stand in a template: text is escaped, HTML is not, `undefined` is nothing. */
export type Part = Html | string | number | undefined | readonly Part[];

/** A template of HTML; every part is escaped unless it is HTML itself. Attributes are written in double quotes. */
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
  if (part === undefined) return "";
  if (typeof part === "number") return String(part);
  if (typeof part === "string") return part.replace(/[&<>"']/g, (found) => entities[found] ?? "");
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
