import { describe, it } from "vitest";

import { diagnosticExamples, diagnosticSituations } from "../../src/desired/diagnostic-examples.ts";
import {
  diagnosticsAsAnnotations,
  diagnosticsAsJson,
  diagnosticsAsSarif,
  renderDiagnostics,
} from "../../src/render/diagnostic-formats.ts";
import { isJsonObject } from "../../src/syntax/json.ts";
import { diagnosticCodes } from "../../src/zone/diagnostic-codes.ts";
import type { Diagnostic } from "../../src/zone/diagnostic.ts";
import { loadText } from "../support/desired.ts";

function diagnostic(facts: Partial<Diagnostic> = {}): Diagnostic {
  return {
    code: "WRONG_VALUE",
    severity: "error",
    place: { file: "a.yaml", line: 2, column: 11 },
    path: "zones[0].mode",
    message: '"watch" is none of enforce, observe',
    remedy: "use one of these values",
    ...facts,
  };
}

describe("every problem of a file", () => {
  it("reads as it should", async ({ expect }) => {
    const texts: string[] = [];
    for (const [code, text] of Object.entries(diagnosticExamples)) {
      const { diagnostics, sources } = await loadText(text);
      const own = diagnostics.filter((found) => found.code === code);
      expect(own, code).not.toEqual([]);
      const words = renderDiagnostics(own, sources, { directory: "zones", color: false });
      // The last line counts them.
      texts.push(words.split("\n").slice(0, -2).join("\n"));
    }
    await expect(texts.join("\n")).toMatchFileSnapshot("../golden/problems.txt");
  });

  it("has an example, or says why it has none", ({ expect }) => {
    const told = [...Object.keys(diagnosticExamples), ...Object.keys(diagnosticSituations)];
    expect(told.toSorted()).toEqual(Object.keys(diagnosticCodes).toSorted());
  });
});

describe("problems as text", () => {
  const sources = new Map([["a.yaml", "zones:\n    mode: watch\n"]]);

  it("show the line, a caret under the column and what to write", ({ expect }) => {
    expect(renderDiagnostics([diagnostic()], sources, { directory: "zones", color: false })).toBe(
      `zones/a.yaml:2:11: error: "watch" is none of enforce, observe [WRONG_VALUE]
  2 |     mode: watch
    |           ^
  → use one of these values

1 error
`,
    );
  });

  it("are coloured on request", ({ expect }) => {
    const words = renderDiagnostics([diagnostic()], sources, { directory: "", color: true });
    expect(words).toContain("\u001B[31m");
  });

  it("let no file control the terminal", ({ expect }) => {
    const nasty = diagnostic({ message: "\u001B[2J\u202Egone", remedy: "\r\n\u0007" });
    const lines = new Map([["a.yaml", "zones:\n\u001B[2J    x\u009B1m\n"]]);
    const words = renderDiagnostics([nasty], lines, { directory: "", color: false });
    for (const control of ["\u001B", "\u0007", "\r", "\t"]) expect(words).not.toContain(control);
    expect(words).not.toMatch(/[\u009B\u202E]/);
    expect(words.split("\n")).toHaveLength(7);
  });

  it("cut long lines around the place", ({ expect }) => {
    const far = diagnostic({ place: { file: "a.yaml", line: 1, column: 5001 } });
    const lines = new Map([["a.yaml", `${"a".repeat(5000)}X${"b".repeat(5000)}`]]);
    const [, source = "", caret = ""] = renderDiagnostics([far], lines, {
      directory: "",
      color: false,
    }).split("\n");
    expect(source.length).toBeLessThan(120);
    expect(source[caret.indexOf("^")]).toBe("X");
  });

  it("need no source", ({ expect }) => {
    const words = renderDiagnostics(
      [diagnostic(), diagnostic({ severity: "warning" })],
      new Map(),
      {
        directory: "",
        color: false,
      },
    );
    expect(words).not.toContain("|");
    expect(words).toContain("1 error, 1 warning");
  });

  it.for([
    { directory: "zones", file: "a.yaml", yields: "zones/a.yaml" },
    { directory: "zones/", file: "a.yaml", yields: "zones/a.yaml" },
    { directory: "zones", file: ".", yields: "zones" },
    { directory: "", file: "a.yaml", yields: "a.yaml" },
    { directory: "zones", file: "/etc/a.yaml", yields: "/etc/a.yaml" },
  ])("lead to $file below '$directory'", ({ directory, file, yields }, { expect }) => {
    const found = diagnostic({ place: { file, line: 1, column: 1 } });
    const words = renderDiagnostics([found], new Map(), { directory, color: false });
    expect(words).toMatch(`${yields}:1:1: error`);
  });
});

describe("problems for programs", () => {
  it("as JSON carry counts and places", ({ expect }) => {
    expect(diagnosticsAsJson([diagnostic(), diagnostic({ severity: "warning" })], 3)).toEqual({
      errors: 1,
      warnings: 1,
      suppressed: 3,
      diagnostics: [
        expect.objectContaining({ code: "WRONG_VALUE", file: "a.yaml", line: 2, column: 11 }),
        expect.objectContaining({ severity: "warning", path: "zones[0].mode" }),
      ],
    });
  });

  it("as SARIF name the rule of each result", ({ expect }) => {
    const found = diagnostic({ place: { file: "zones/ä b.yaml", line: 3, column: 4 } });
    const sarif = diagnosticsAsSarif([found, diagnostic({ code: "MISSING_KEY" })], "1.0.0");
    expect(sarif["version"]).toBe("2.1.0");
    expect(sarif["runs"]).toMatchObject([
      {
        tool: {
          driver: { name: "zonewarden", rules: [{ id: "MISSING_KEY" }, { id: "WRONG_VALUE" }] },
        },
        columnKind: "utf16CodeUnits",
        results: [
          {
            ruleId: "WRONG_VALUE",
            ruleIndex: 1,
            level: "error",
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: "zones/%C3%A4%20b.yaml" },
                  region: { startLine: 3, startColumn: 4 },
                },
              },
            ],
          },
          { ruleId: "MISSING_KEY", ruleIndex: 0 },
        ],
      },
    ]);
    expect(isJsonObject(JSON.parse(JSON.stringify(sarif)))).toBe(true);
  });

  it("as annotations cannot begin a command of their own", ({ expect }) => {
    const nasty = diagnostic({
      place: { file: "a,b:c.yaml", line: 1, column: 2 },
      message: "100%\n::stop-commands::x",
      remedy: "",
    });
    expect(diagnosticsAsAnnotations([nasty])).toBe(
      "::error file=a%2Cb%3Ac.yaml,line=1,col=2,title=WRONG_VALUE::100%25%0A::stop-commands::x\n",
    );
  });
});
