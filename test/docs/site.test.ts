import { globSync } from "node:fs";
import path from "node:path";

import { describe, it } from "vitest";

import { renderMarkdown } from "../../deploy/site/markdown-html.ts";
import { documentsIn, siteFiles } from "../../deploy/site/site-files.ts";
import { textOfHtml } from "../../src/render/html.ts";

const root = path.resolve(import.meta.dirname, "../..");
const site = siteFiles(root);
const pages = [...site.keys()].filter((file) => file.endsWith(".html"));

function textOf(file: string): string {
  const content = site.get(file);
  if (typeof content !== "string") throw new Error(`${file} is not a page of the site`);
  return content;
}

/** What a page leads to or loads. */
function addressesIn(page: string): readonly string[] {
  return [...textOf(page).matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, to = ""]) => to);
}

function anchorsIn(page: string): readonly string[] {
  return [...textOf(page).matchAll(/ id="([^"]*)"/g)].map(([, id = ""]) => id);
}

/** The file of the site, and the anchor in it, that an address of a page means. */
function targetOf(page: string, to: string): { file: string; anchor: string | undefined } {
  const [name = "", anchor] = to.split("#");
  const file = name === "" ? page : path.posix.join(path.posix.dirname(page), name);
  return { file, anchor };
}

function isDead(page: string, to: string): boolean {
  if (/^https?:\/\//.test(to)) return false;
  const { file, anchor } = targetOf(page, to);
  if (!site.has(file)) return true;
  return anchor !== undefined && !(file.endsWith(".html") && anchorsIn(file).includes(anchor));
}

/** The pages that the navigation of a page leads to. */
function navigationOf(page: string): readonly string[] {
  const [, nav = ""] = /<nav class="pages"(.*?)<\/nav>/s.exec(textOf(page)) ?? [];
  return [...nav.matchAll(/href="([^"]+)"/g)].map(([, to = ""]) => targetOf(page, to).file);
}

/** The content of a document in the site, without a link to anything else, and without space between elements. */
function rendered(markdown: string): string {
  const { content } = renderMarkdown(`# Title\n\n${markdown}`, () => undefined);
  return textOfHtml(content).replaceAll(/>\s+</g, "><");
}

describe("the site", () => {
  it("has a page for each document", ({ expect }) => {
    const documents = globSync(["*.md", "{docs,deploy,src}/**/*.md"], { cwd: root });
    expect(documents.length).toBeGreaterThan(50);
    const wanted = documents.map((file) =>
      file.replace(/README\.md$/, "index.html").replace(/\.md$/, ".html"),
    );
    expect(wanted.filter((file) => !pages.includes(file))).toEqual([]);
    expect(documentsIn(root)).toHaveLength(documents.length);
  });

  it.for(pages)("%s leads only to files and headings that exist", (page, { expect }) => {
    const addresses = addressesIn(page);
    expect(addresses.length).toBeGreaterThan(pages.length / 4);
    expect(addresses.filter((to) => isDead(page, to))).toEqual([]);
  });

  it.for(pages)("%s has each anchor once, and one title", (page, { expect }) => {
    const anchors = anchorsIn(page);
    expect(new Set(anchors).size).toBe(anchors.length);
    expect(textOf(page).match(/<h1[ >]/g)).toHaveLength(1);
  });

  it.for(pages)(
    "%s needs no script and no other host, and shows no comment",
    (page, { expect }) => {
      const text = textOf(page);
      expect(text).not.toMatch(/<script|<iframe|<!--|javascript:| on\w+="/i);
      expect(text).not.toMatch(/<(?:link|img)[^>]*(?:href|src)="(?:https?:)?\/\//);
    },
  );

  it("leads from its first page to every file", ({ expect }) => {
    const reached = new Set(["index.html"]);
    for (const page of reached) {
      if (!page.endsWith(".html")) continue;
      for (const to of addressesIn(page)) {
        if (!/^https?:/.test(to)) reached.add(targetOf(page, to).file);
      }
    }
    expect([...site.keys()].filter((file) => !reached.has(file))).toEqual([]);
  });

  it("has the same navigation on each page, which marks the page", ({ expect }) => {
    const first = navigationOf("index.html");
    expect(first.slice(0, 4)).toEqual([
      "index.html",
      "docs/index.html",
      "docs/quick-start.html",
      "docs/real-account.html",
    ]);
    for (const page of pages) {
      expect(navigationOf(page), page).toEqual(first);
      const marks = textOf(page).match(/aria-current="page"/g) ?? [];
      expect(marks, page).toHaveLength(first.includes(page) ? 1 : 0);
    }
  });

  it("is the same each time", ({ expect }) => {
    expect([...siteFiles(root)]).toEqual([...site]);
  });
});

describe("a page", () => {
  it.for([
    [
      "`<b>` & <https://a.example/?b=1&c=2>",
      "<code>&lt;b&gt;</code> &amp; https://a.example/?b=1&amp;c=2",
    ],
    [
      '```sh\na <b> && "c"\n```',
      '<pre tabindex="0"><code>a &lt;b&gt; &amp;&amp; &quot;c&quot;</code></pre>',
    ],
    ["*a* **b** \\<i>", "<em>a</em><strong>b</strong> &lt;i&gt;"],
    ["3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'],
    ["- a\n  - b", "<ul><li>a<ul><li>b</li></ul></li></ul>"],
    ["| | a |\n| --- | --- |\n| b | c |", '<tr><td></td><th scope="col">a</th></tr>'],
    ["> a", "<blockquote><p>a</p></blockquote>"],
    ["| a |\n| --- |\n| `x \\| y` |", "<td><code>x | y</code></td>"],
  ] as const)("shows %j", ([markdown, shown], { expect }) => {
    expect(rendered(markdown)).toContain(shown);
  });

  it("hides comments", ({ expect }) => {
    expect(rendered("<!-- a -->\n\nb\n\n<!-- c -->\n<!-- d -->\n")).not.toMatch(/<!--|[acd] -->/);
  });

  it("numbers headings that repeat", ({ expect }) => {
    const { sections } = renderMarkdown("# A\n\n## B\n\n## `B`!\n\n### C\n", () => undefined);
    expect(sections).toEqual([
      { title: "B", anchor: "b" },
      { title: "B!", anchor: "b-1" },
    ]);
  });

  it.for([
    "<b>a</b>",
    "<script>a</script>",
    "a <br> b",
    "a &nbsp; b",
    "<!-- a --> <i> <!-- b -->",
    "a\n\n---\n",
    "![a](b.png)",
  ])("is refused for what the site cannot show: %j", (markdown, { expect }) => {
    expect(() => rendered(markdown)).toThrow(/not supported|no image/);
  });

  it("is refused without a heading", ({ expect }) => {
    expect(() => renderMarkdown("text", () => undefined)).toThrow("no heading");
  });
});
