const markup: unique symbol = Symbol("markup");

/** Escaped markup. Only {@link html} creates it, so nothing unescaped gets into a page. */
export interface Html {
  readonly [markup]: string;
}

/** A value in a template: text is escaped, HTML is not; `undefined` and `false` are empty. */
export type Part = Html | string | number | false | undefined | readonly Part[];

/**
 * A template of HTML; every part is escaped unless it is HTML itself. Attributes need double quotes.
 *
 * Own code and not `hono/html`: that one escapes no invisible or direction characters, takes any string with
 * `isEscaped` for markup, and returns a promise as soon as one part is one.
 */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let result = texts[0] ?? "";
  for (const [at, part] of parts.entries()) result += markupOf(part) + (texts[at + 1] ?? "");
  return { [markup]: result };
}

/** The columns of a table: what the cells below each head show of a row. The first one names the row. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Part>>;

/** A table with a row of heads; `kind` is its class. */
export function htmlTable<Row>(columns: Columns<Row>, rows: readonly Row[], kind?: string): Html {
  const [[title, nameOf] = ["", () => undefined], ...others] = Object.entries(columns);
  return html`<table${kind !== undefined && html` class="${kind}"`}>
    <thead>
      <tr>
        ${[title, ...others.map(([head]) => head)].map((head) => html`<th scope="col">${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            <th scope="row">${nameOf(row)}</th>
            ${others.map(([head, cell]) => html`<td data-label="${head}">${cell(row)}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

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
 * Escapes text. Invisible and direction characters are shown by their code, `⟨U+202E⟩`: a value must not look like
 * another one.
 */
function escaped(text: string): string {
  return text
    .replaceAll(/[&<>"']/g, (found) => entities[found] ?? "")
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu, (found) =>
      found === "\n"
        ? found
        : `⟨U+${found.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}⟩`,
    );
}
