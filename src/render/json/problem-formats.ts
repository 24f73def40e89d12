import type { Json, JsonObject } from "../../syntax/json.ts";
import { diagnosticCodes } from "../../zone/diagnostic-codes.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { fileIn, sentenceOf } from "../text/problem-words.ts";

/** Problems for programs. */
export function diagnosticsAsJson(
  diagnostics: readonly Diagnostic[],
  silenced: number,
  directory: string,
): JsonObject {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  return {
    errors,
    warnings: diagnostics.length - errors,
    silenced,
    diagnostics: diagnostics.map(({ code, severity, place, path, message, remedy }) => ({
      code,
      severity,
      file: fileIn(directory, place.file),
      line: place.line,
      column: place.column,
      path,
      message,
      remedy,
    })),
  };
}

/** Problems as SARIF 2.1.0, which code hosts show beside the lines. */
export function diagnosticsAsSarif(
  diagnostics: readonly Diagnostic[],
  version: string,
  directory: string,
): JsonObject {
  const codes = [...new Set(diagnostics.map(({ code }) => code))].toSorted();
  return {
    $schema:
      "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "zonewarden", version, rules: codes.map(sarifRule) } },
        columnKind: "utf16CodeUnits",
        results: diagnostics.map((diagnostic) => sarifResult(diagnostic, codes, directory)),
      },
    ],
  };
}

/** Problems as lines that a GitHub workflow turns into annotations of a pull request. */
export function diagnosticsAsAnnotations(
  diagnostics: readonly Diagnostic[],
  directory: string,
): string {
  return diagnostics
    .map((diagnostic) => {
      const { file, line, column } = diagnostic.place;
      const facts = { file: fileIn(directory, file), line, col: column, title: diagnostic.code };
      const properties = Object.entries(facts).map(([name, value]) => `${name}=${property(value)}`);
      return `::${diagnostic.severity} ${properties.join(",")}::${data(sentenceOf(diagnostic))}\n`;
    })
    .join("");
}

function sarifRule(code: string): Json {
  const meaning = meanings.get(code) ?? code;
  return { id: code, shortDescription: { text: meaning } };
}

const meanings = new Map<string, string>(
  Object.entries(diagnosticCodes).map(([code, { meaning }]) => [code, meaning]),
);

function sarifResult(diagnostic: Diagnostic, codes: readonly string[], directory: string): Json {
  const { file, line, column } = diagnostic.place;
  const uri = fileIn(directory, file).toWellFormed().split("/").map(encodeURIComponent).join("/");
  return {
    ruleId: diagnostic.code,
    ruleIndex: codes.indexOf(diagnostic.code),
    level: diagnostic.severity,
    message: { text: sentenceOf(diagnostic) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri },
          region: { startLine: line, startColumn: column },
        },
        ...(diagnostic.path === ""
          ? {}
          : { logicalLocations: [{ fullyQualifiedName: diagnostic.path }] }),
      },
    ],
  };
}

/** The workflow commands' own escapes: without them a message could begin a command of its own. */
function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(value: string | number): string {
  return data(String(value)).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
