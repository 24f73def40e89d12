import { globSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

import { html } from "../../src/render/html.ts";
import { assets, iconPath } from "../../src/web/pages/assets.ts";
import { linksInTable, type Rendered, renderMarkdown } from "./markdown-html.ts";
import { type PageGroup, pageText, relativeHref, type SitePage } from "./site-page.ts";
import { siteStyle } from "./site-style.ts";

/** The Markdown documents of the project. */
export function documentsIn(root: string): readonly string[] {
  return globSync(["*.md", "{docs,deploy,src,schemas}/**/*.md"], { cwd: root }).toSorted();
}

/**
 * The files of the site, by name: a page for each Markdown document of a checkout, and the files that they link to. The same
 * checkout gives the same bytes. Throws where a link leads nowhere.
 */
export function siteFiles(root: string): ReadonlyMap<string, string | Uint8Array> {
  const documents = documentsIn(root);
  const linked = new LinkedFiles(root, documents);
  const pages = documents.map((document) => {
    const text = readFileSync(path.join(root, document), "utf8");
    return pageOf(
      document,
      renderMarkdown(text, (to) => linked.hrefOf(document, to)),
    );
  });
  const lists = [...linked.directories].toSorted().map((directory) => listOf(directory, pages));
  const groups = groupsOf(root, pages, lists);
  const icon = assets.find((asset) => asset.path === iconPath);
  const files = new Map<string, string | Uint8Array>([
    ["style.css", siteStyle],
    ["icon.svg", icon?.text ?? ""],
  ]);
  for (const page of [...pages, ...lists]) files.set(page.file, pageText(page, groups));
  for (const file of [...linked.files].toSorted()) {
    files.set(file, readFileSync(path.join(root, file)));
  }
  return files;
}

function fileOf(document: string): string {
  return document.replace(/README\.md$/, "index.md").replace(/\.md$/, ".html");
}

function pageOf(document: string, { title, content, sections }: Rendered): SitePage {
  return { file: fileOf(document), title, content, sections };
}

/** Follows the links of documents, and notes what of the checkout they need besides pages. */
class LinkedFiles {
  readonly #root: string;
  readonly #documents: readonly string[];
  /** Linked files that are no documents: images, schemas, tests. */
  readonly files = new Set<string>();
  /** Linked directories of documents that have no README. */
  readonly directories = new Set<string>();

  constructor(root: string, documents: readonly string[]) {
    this.#root = root;
    this.#documents = documents;
  }

  hrefOf(document: string, to: string): string | undefined {
    if (/^(?:https?:|#)/.test(to)) return to;
    const [name = "", anchor] = to.split("#");
    const target = path.posix.join(path.posix.dirname(document), name).replace(/\/$/, "");
    const stat = statSync(path.join(this.#root, target), { throwIfNoEntry: false });
    if (stat === undefined || target.startsWith("..")) {
      throw new Error(`${document}: the link to ${to} leads nowhere`);
    }
    const file = stat.isFile() ? this.#fileOf(target) : this.#directory(target);
    if (file === undefined) return undefined;
    const href = relativeHref(fileOf(document), file);
    return anchor === undefined ? href : `${href}#${anchor}`;
  }

  #fileOf(target: string): string {
    if (this.#documents.includes(target)) return fileOf(target);
    this.files.add(target);
    return target;
  }

  /** The page of a directory: its README or a list of its documents. The site shows no other directory. */
  #directory(target: string): string | undefined {
    if (this.#documents.includes(`${target}/README.md`)) return `${target}/index.html`;
    if (!this.#documents.some((each) => path.posix.dirname(each) === target)) return undefined;
    this.directories.add(target);
    return `${target}/index.html`;
  }
}

/** The page that lists the pages of a directory. */
function listOf(directory: string, pages: readonly SitePage[]): SitePage {
  const file = `${directory}/index.html`;
  const name = path.posix.basename(directory);
  const title = name.slice(0, 1).toUpperCase() + name.slice(1);
  const items = pages
    .filter((page) => path.posix.dirname(page.file) === directory)
    .map((page) => html`<li><a href="${relativeHref(file, page.file)}">${page.title}</a></li> `);
  const content = html`<h1>${title}</h1>
    <ul>
      ${items}
    </ul>`;
  return { file, title, content, sections: [] };
}

/** The navigation: the documentation in the order of docs/README.md, then all other pages that no list has. */
function groupsOf(
  root: string,
  pages: readonly SitePage[],
  lists: readonly SitePage[],
): readonly PageGroup[] {
  const table = linksInTable(readFileSync(path.join(root, "docs/README.md"), "utf8"));
  const title = "Documentation";
  const documentation = [
    { file: "index.html", title: "Overview" },
    { file: "docs/index.html", title: "All documentation" },
    ...table.map((row) => ({ file: fileOf(`docs/${row.to}`), title: row.title })),
  ];
  const shown = new Set(documentation.map(({ file }) => file));
  const listed = new Set(lists.map(({ file }) => path.posix.dirname(file)));
  const others = pages.filter(
    ({ file }) => !shown.has(file) && !listed.has(path.posix.dirname(file)),
  );
  return [
    { title, pages: documentation },
    { title: "Project", pages: [...others, ...lists] },
  ];
}
