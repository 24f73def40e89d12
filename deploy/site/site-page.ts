import path from "node:path";

import { html, type Html, textOfHtml } from "../../src/render/html.ts";
import type { Section } from "./markdown-html.ts";

/** A page of the site: its file, and what it holds. */
export interface SitePage {
  readonly file: string;
  readonly title: string;
  readonly content: Html;
  readonly sections: readonly Section[];
}

/** The one navigation of all pages. */
export interface PageGroup {
  readonly title: string;
  readonly pages: readonly { readonly file: string; readonly title: string }[];
}

/** Where one file of the site lies, seen from another. */
export function relativeHref(from: string, to: string): string {
  return path.posix.relative(path.posix.dirname(from), to);
}

/** A page with all around its content. It needs no script, and nothing from another host. */
export function pageText(page: SitePage, groups: readonly PageGroup[]): string {
  const href = (to: string): string => relativeHref(page.file, to);
  const name = page.title === "zonewarden" ? page.title : `${page.title} · zonewarden`;
  const document = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${name}</title>
        <link rel="icon" type="image/svg+xml" href="${href("icon.svg")}" />
        <link rel="stylesheet" href="${href("style.css")}" />
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header class="bar">
          <a class="brand" href="${href("index.html")}"
            ><img src="${href("icon.svg")}" alt="" width="20" height="20" />zonewarden</a
          >
          <a class="to-pages" href="#pages">All pages</a>
        </header>
        <div class="columns">
          <main id="main">${sectionList(page.sections)} ${page.content}</main>
          <nav class="pages" id="pages" aria-label="Pages">
            ${groups.map((group) => groupList(group, page.file))}
          </nav>
        </div>
      </body>
    </html> `;
  return textOfHtml(document);
}

function sectionList(sections: readonly Section[]): Html | undefined {
  if (sections.length < 3) return undefined;
  const items = sections.map(
    ({ title, anchor }) => html`<li><a href="#${anchor}">${title}</a></li> `,
  );
  return html`<details class="sections">
    <summary>On this page</summary>
    <ul>
      ${items}
    </ul>
  </details>`;
}

function groupList({ title, pages }: PageGroup, here: string): Html {
  const items = pages.map(
    (page) =>
      html`<li>
        <a
          href="${relativeHref(here, page.file)}"
          ${page.file === here && html`aria-current="page"`}
          >${page.title}</a
        >
      </li> `,
  );
  return html`<h2>${title}</h2>
    <ul>
      ${items}
    </ul>`;
}
