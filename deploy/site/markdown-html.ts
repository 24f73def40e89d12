import { Lexer, type Token, type Tokens } from "marked";

import { html, type Html, type Part } from "../../src/render/html.ts";

/** A Markdown document as HTML. */
export interface Rendered {
  /** The text of its first heading. */
  readonly title: string;
  readonly content: Html;
  /** Its headings of the second level. */
  readonly sections: readonly Section[];
}

/** A heading that can be linked to. */
export interface Section {
  readonly title: string;
  readonly anchor: string;
}

/** Where a link of a document leads in the site; `undefined` where the site has nothing to link to. */
export type HrefOf = (to: string) => string | undefined;

/** The anchor of a heading, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}

/**
 * Renders a Markdown document. All its text is escaped. HTML comments vanish; other HTML, and Markdown that this file does
 * not know, is an error: a page must not differ silently from what its author wrote.
 */
export function renderMarkdown(text: string, hrefOf: HrefOf): Rendered {
  const tokens = new Lexer({ gfm: true }).lex(text);
  const renderer = new Renderer(hrefOf);
  const content = html`${renderer.blocks(tokens)}`;
  const { title, sections } = renderer;
  if (title === undefined) throw new Error("the document has no heading");
  return { title, content, sections };
}

/** The links in the first column of the first table of a Markdown document. */
export function linksInTable(text: string): readonly { title: string; to: string }[] {
  const tokens = new Lexer({ gfm: true }).lex(text).filter(isBlock);
  const table = tokens.find((token) => token.type === "table");
  const cells = table?.rows.flatMap(([cell]) => cell?.tokens.map(inline) ?? []) ?? [];
  return cells.flatMap((token) =>
    token.type === "link" ? [{ title: plainText(token.tokens), to: token.href }] : [],
  );
}

type BlockToken =
  | Tokens.Blockquote
  | Tokens.Code
  | Tokens.Def
  | Tokens.Heading
  | Tokens.List
  | Tokens.Paragraph
  | Tokens.Space
  | Tokens.Table;

type InlineToken =
  | Tokens.Codespan
  | Tokens.Em
  | Tokens.Escape
  | Tokens.HTML
  | Tokens.Image
  | Tokens.Link
  | Tokens.Strong
  | Tokens.Text;

const blockTypes = new Set("blockquote code def heading list paragraph space table".split(" "));
const inlineTypes = new Set("codespan em escape html image link strong text".split(" "));

const commentsAlone = /^(?:\s*<!--(?:(?!-->).)*-->)+\s*$/s;

class Renderer {
  readonly #hrefOf: HrefOf;
  readonly #anchors = new Set<string>();
  readonly sections: Section[] = [];
  title: string | undefined;

  constructor(hrefOf: HrefOf) {
    this.#hrefOf = hrefOf;
  }

  blocks(tokens: readonly Token[]): Part {
    return tokens.map((token) =>
      isBlock(token) ? this.#block(token) : this.#inline(inline(token)),
    );
  }

  #block(token: BlockToken): Part {
    switch (token.type) {
      case "space":
      case "def":
        return undefined;
      case "heading":
        return this.#heading(token);
      case "paragraph":
        return html`<p>${this.#inlines(token.tokens)}</p>`;
      case "code":
        return html`<pre tabindex="0"><code>${token.text}</code></pre>`;
      case "list":
        return this.#list(token);
      case "table":
        return this.#table(token);
      case "blockquote":
        return html`<blockquote>${this.blocks(token.tokens)}</blockquote>`;
    }
  }

  #inlines(tokens: readonly Token[]): Part {
    return tokens.map((token) => this.#inline(inline(token)));
  }

  #inline(token: InlineToken): Part {
    switch (token.type) {
      case "text":
        return token.tokens === undefined ? literal(token.text) : this.#inlines(token.tokens);
      case "escape":
        return token.text;
      case "codespan":
        return html`<code>${token.text}</code>`;
      case "strong":
        return html`<strong>${this.#inlines(token.tokens)}</strong>`;
      case "em":
        return html`<em>${this.#inlines(token.tokens)}</em>`;
      case "link":
        return this.#link(token);
      case "image":
        return this.#image(token);
      case "html":
        if (commentsAlone.test(token.raw)) return undefined;
        throw new Error(`HTML other than comments is not supported: ${token.raw}`);
    }
  }

  #heading({ depth, tokens }: Tokens.Heading): Html {
    const title = plainText(tokens);
    const anchor = this.#freshAnchor(anchorOf(title));
    this.title ??= title;
    if (depth === 2) this.sections.push({ title, anchor });
    const content = html`${this.#inlines(tokens)}
      <a class="anchor" href="#${anchor}" aria-label="Link to “${title}”">#</a>`;
    switch (depth) {
      case 1:
        return html`<h1 id="${anchor}">${this.#inlines(tokens)}</h1>`;
      case 2:
        return html`<h2 id="${anchor}">${content}</h2>`;
      case 3:
        return html`<h3 id="${anchor}">${content}</h3>`;
      default:
        return html`<h4 id="${anchor}">${content}</h4>`;
    }
  }

  /** A heading that repeats an earlier one gets a number, as on GitHub. */
  #freshAnchor(wanted: string): string {
    let anchor = wanted;
    for (let count = 1; this.#anchors.has(anchor); count += 1) anchor = `${wanted}-${count}`;
    this.#anchors.add(anchor);
    return anchor;
  }

  #list({ ordered, start, items }: Tokens.List): Html {
    const content = items.map((item) => html`<li>${this.blocks(item.tokens)}</li>`);
    return ordered
      ? html`<ol start="${start}">
          ${content}
        </ol>`
      : html`<ul>
          ${content}
        </ul>`;
  }

  #table({ header, rows }: Tokens.Table): Html {
    // The corner above names of rows is no header.
    const head = header.map(({ tokens }) =>
      tokens.length === 0 ? html`<td></td>` : html`<th scope="col">${this.#inlines(tokens)}</th>`,
    );
    const body = rows.map(
      (cells) =>
        html`<tr>
          ${cells.map(({ tokens }) => html`<td>${this.#inlines(tokens)}</td>`)}
        </tr> `,
    );
    return html`<div class="scroll" role="group" aria-label="Table" tabindex="0">
      <table>
        <thead>
          <tr>
            ${head}
          </tr>
        </thead>
        <tbody>
          ${body}
        </tbody>
      </table>
    </div>`;
  }

  #link({ href, tokens }: Tokens.Link): Part {
    const to = this.#hrefOf(href);
    const content = this.#inlines(tokens);
    return to === undefined ? content : html`<a href="${to}">${content}</a>`;
  }

  #image({ href, text }: Tokens.Image): Html {
    const from = this.#hrefOf(href);
    if (from === undefined) throw new Error(`there is no image ${href}`);
    return html`<img src="${from}" alt="${text}" />`;
  }
}

/** Text without markup of its own. References to characters would need decoding; no document has any. */
function literal(text: string): string {
  if (/&#?\w+;/.test(text)) throw new Error(`character references are not supported: ${text}`);
  return text;
}

function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      const each = inline(token);
      const inner = "tokens" in each ? each.tokens : undefined;
      return inner === undefined ? each.text : plainText(inner);
    })
    .join("");
}

function isBlock(token: Token): token is BlockToken {
  return blockTypes.has(token.type);
}

function isInline(token: Token): token is InlineToken {
  return inlineTypes.has(token.type);
}

function inline(token: Token): InlineToken {
  if (isInline(token)) return token;
  throw new Error(`${token.type} is not supported: ${token.raw}`);
}
