import { readFileSync } from "node:fs";

import * as fc from "fast-check";
import { describe, it } from "vitest";

import { compareWithForm } from "../../src/desired/format/format-files.ts";
import { formattedText } from "../../src/desired/format/format-text.ts";
import { systemClock } from "../../src/host/clock.ts";
import { desiredBench, loadText } from "../support/desired.ts";
import { hostileText } from "../support/hostile-yaml.ts";
import { cases } from "../support/properties.ts";
import { schemaDocument } from "../support/schema-documents.ts";

function rule(key: string): string {
  return `{ key: ${key}, action: block, expression: http.request.uri.path eq "/comments" and ssl }`;
}

function zoneWith(...rules: readonly string[]): string {
  return `zones:\n  - name: a.example\n    custom_rules: { rules: [${rules.join(", ")}] }\n`;
}

function formOf(text: string): string | undefined {
  return formattedText("a.yaml", text).text;
}

/** Files of `/zones`, compared with their form. */
function comparedFiles(files: Readonly<Record<string, string>>) {
  const { disk } = desiredBench(files);
  const at = { path: "/zones", files: disk.port, clock: systemClock };
  return compareWithForm(at, new AbortController().signal);
}

describe("the form of a file", () => {
  it.for(["zonewarden.yaml", "zones/baseline.yaml", "zones/shop.yaml", "zones/sites.yaml"])(
    "is that of the example %s",
    (file, { expect }) => {
      const text = readFileSync(`config.example/${file}`, "utf8");
      expect(formOf(text)).toBe(text);
    },
  );

  it("has the keys in the order of the schema, each with its comments", ({ expect }) => {
    const text = `# yaml-language-server: $schema=zones.schema.json
zones:   # our zones
- mode:  observe   # for now
  # its name
  name: 'shop.example.com'
  custom_rules: {rules: [ # first
    {key: a}, # about a
    # about b
    {key: b, expression: 'x eq "y: z"', description: "yes"} ],
    unmanaged: report }
  # end of shop
# before b
-
  # inside b
  name: b.example
- {name: c.example}


- name: d.example
# last of zones

profiles:
    # about p
    p:
        'vars': {size: 012, x: "it's", t: 'yes'}
        extends: []

    q: {}
# the end
`;
    expect(formOf(text)).toBe(`# yaml-language-server: $schema=zones.schema.json
# last of zones

profiles:
  # about p
  p:
    extends: []
    vars: { size: 012, x: it's, t: "yes" }

  q: {}

zones: # our zones
  # its name
  - name: shop.example.com
    mode: observe # for now
    custom_rules:
      rules:
        # first
        - { key: a } # about a
        # about b
        - { key: b, description: "yes", expression: 'x eq "y: z"' }
      unmanaged: report
    # end of shop

  # before b
  # inside b
  - name: b.example

  - { name: c.example }

  - name: d.example
# the end
`);
  });

  it("writes brackets that do not fit with one entry a line", ({ expect }) => {
    expect(formOf(zoneWith(rule("a"), "{ key: b }"))).toBe(`zones:
  - name: a.example
    custom_rules:
      rules:
        - { key: a, expression: http.request.uri.path eq "/comments" and ssl, action: block }
        - { key: b }
`);
    expect(formOf(zoneWith("{ key: b }"))).toBe(zoneWith("{ key: b }"));
  });

  it("has one empty line between what stands before a dash and after it", ({ expect }) => {
    const before =
      "zones:\n  - name: a.example\n    custom_rules:\n      rules:\n        # before\n\n";
    const text = `${before}        -\n\n          # after\n          { key: a }\n`;
    expect(formOf(text)).toBe(`${before}        # after\n        - { key: a }\n`);
  });

  it("keeps texts in block style, and the lines of long texts", ({ expect }) => {
    const long = "c".repeat(90);
    const text = `zones:
  - name: a.example
    custom_rules:
      rules:
      - key: a
        description: |2
            indented
          text

        expression: ssl
            and ${long}
        action: >+
          log


      - key: b
        description: 'one
          line'
`;
    expect(formOf(text)).toBe(`zones:
  - name: a.example
    custom_rules:
      rules:
        - key: a
          description: |2
              indented
            text

          expression: ssl
            and ${long}
          action: "log\\n\\n\\n"
        - key: b
          description: one line
`);
  });

  it("has Unix line ends and no byte order mark", async ({ expect }) => {
    const text = "\uFEFFzones:\r\n- name: a.example # b\r\n";
    const { unformatted } = await comparedFiles({ "a.yaml": text });
    expect(unformatted.map(({ after }) => after)).toEqual(["zones:\n  - name: a.example # b\n"]);
  });

  it("keeps anchors before their aliases", ({ expect }) => {
    const text = `zones:
  - managed_rules: &rules { unmanaged: report }
    custom_rules: *rules
    name: a.example
`;
    expect(formOf(text)).toBe(text);
  });

  it("keeps several documents, and what is said between them", ({ expect }) => {
    const text = "# one\n---\nzones: []\n...\n# two\n--- # three\nprofiles: {}\n# end\n";
    expect(formOf(text)).toBe("# one\n---\nzones: []\n# two\n--- # three\nprofiles: {}\n# end\n");
  });

  it("says the same of a suppression", ({ expect }) => {
    const sources = Array.from({ length: 12 }, (_, index) => `cdn-${index}.example.com`).join(", ");
    const suppression = "# zonewarden-disable-next-line CSP_NO_SELF -- x";
    const text = `zones:
  - name: a.example
    page_shield:
      policies:
        items:
          - key: a
            value:
              ${suppression}
              script-src: [${sources}]
          ${suppression}
          - action: log
            key: b
    custom_rules:
      rules:
        ${suppression}
        - response:
            content_type: text/plain
            status_code: 403
          key: c
`;
    expect(formOf(text)).toBe(text);
  });
});

describe("a file that has no form", () => {
  it.for([
    { text: "zones: [\n", code: "YAML_SYNTAX" },
    { text: "zones: []\nzones: []\n", code: "DUPLICATE_KEY" },
    { text: "zones: &a [*a]\n", code: "YAML_ALIAS" },
    { text: "name: something else\n", code: "FILE_FOREIGN" },
    { text: "a-token-perhaps\n", code: "FILE_FOREIGN" },
    { text: "version: 2\nzones: []\n", code: "FILE_NEWER" },
  ])("stays as it is: $code", ({ text, code }, { expect }) => {
    const { text: written, diagnostics } = formattedText("a.yaml", text);
    expect({ written, codes: diagnostics.map((each) => each.code) }).toEqual({
      written: undefined,
      codes: [code],
    });
  });

  it("is one whose suppression would be about something else", async ({ expect }) => {
    const text = `zones:
  - name: a.example
    page_shield:
      policies:
        items:
          - key: a
            action: log
            expression: ssl
            # zonewarden-disable-next-line CSP_NO_SELF -- x
            value:
              script-src cdn.example
`;
    const found = await comparedFiles({ "a.yaml": text, "b.yaml": "zones: [ ]\n" });
    expect(found.unformatted.map(({ file }) => file)).toEqual(["b.yaml"]);
    expect(found.diagnostics.map(({ code }) => code)).toEqual(["FILE_NOT_FORMATTED"]);
  });
});

/** What `fmt` promises of a text. */
async function keepsItsPromise(text: string): Promise<boolean> {
  const { text: written, diagnostics } = formattedText("a.yaml", text);
  if (written === undefined) {
    const isLeft = diagnostics.some(({ code }) => code === "FILE_NOT_FORMATTED");
    // A tag has none without a value, and neither has an anchor.
    const isEmpty = text.includes("!!") || /&[^\s,[\]{}]+\s*[\]},]/.test(text);
    if (isLeft && !isEmpty) throw new Error(`no form:\n${text}`);
    return false;
  }
  const again = formOf(written);
  if (again !== written) throw new Error(`not stable:\n${written}---\n${again}`);
  const [before, after] = [await loadText(text), await loadText(written)];
  if (before.declaredHash !== after.declaredHash) throw new Error(`another meaning:\n${written}`);
  return true;
}

describe("the form of any file", { timeout: 600_000 }, () => {
  it.for([
    { from: "the schema", texts: fc.nat().map(schemaDocument), runs: 1_500, least: 30 },
    { from: "strange writing", texts: hostileText, runs: 750, least: 80 },
  ])("is stable, and has the same meaning and comments: $from", async (files, { expect }) => {
    let formatted = 0;
    await fc.assert(
      fc.asyncProperty(files.texts, async (text) => {
        if (await keepsItsPromise(text)) formatted += 1;
      }),
      cases(files.runs),
    );
    expect(formatted).toBeGreaterThan(files.least);
  });
});

describe("a set of files", () => {
  it("is compared as a whole: a profile in another file counts", async ({ expect }) => {
    const { unformatted } = await comparedFiles({
      "a.yaml": "zones: [ { profiles: [p], name: a.example } ]\n",
      "b.yaml": "profiles:\n  p: { mode: observe }\n",
    });
    expect(unformatted.map(({ after }) => after)).toEqual([
      "zones: [{ name: a.example, profiles: [p] }]\n",
    ]);
  });
});
