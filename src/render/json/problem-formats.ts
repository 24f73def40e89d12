import type { Json, JsonObject } from "../../syntax/json.ts";
import { problemCodes } from "../../zone/problem-codes.ts";
import type { Problem } from "../../zone/problem.ts";
import { fileIn, sentenceOf } from "../text/problem-words.ts";

/** Problems for programs. */
export function problemsAsJson(
  problems: readonly Problem[],
  silenced: number,
  directory: string,
): JsonObject {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  return {
    errors,
    warnings: problems.length - errors,
    silenced,
    problems: problems.map(({ code, severity, place, path, message, remedy }) => ({
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
export function problemsAsSarif(
  problems: readonly Problem[],
  version: string,
  directory: string,
): JsonObject {
  const codes = [...new Set(problems.map(({ code }) => code))].toSorted();
  return {
    $schema:
      "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "zonewarden", version, rules: codes.map(sarifRule) } },
        columnKind: "utf16CodeUnits",
        results: problems.map((problem) => sarifResult(problem, codes, directory)),
      },
    ],
  };
}

/** Problems as lines that a GitHub workflow turns into annotations of a pull request. */
export function problemsAsAnnotations(problems: readonly Problem[], directory: string): string {
  return problems
    .map((problem) => {
      const { file, line, column } = problem.place;
      const facts = { file: fileIn(directory, file), line, col: column, title: problem.code };
      const properties = Object.entries(facts).map(([name, value]) => `${name}=${property(value)}`);
      return `::${problem.severity} ${properties.join(",")}::${data(sentenceOf(problem))}\n`;
    })
    .join("");
}

function sarifRule(code: string): Json {
  const meaning = meanings.get(code) ?? code;
  return { id: code, shortDescription: { text: meaning } };
}

const meanings = new Map<string, string>(
  Object.entries(problemCodes).map(([code, { meaning }]) => [code, meaning]),
);

function sarifResult(problem: Problem, codes: readonly string[], directory: string): Json {
  const { file, line, column } = problem.place;
  const uri = fileIn(directory, file).toWellFormed().split("/").map(encodeURIComponent).join("/");
  return {
    ruleId: problem.code,
    ruleIndex: codes.indexOf(problem.code),
    level: problem.severity,
    message: { text: sentenceOf(problem) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri },
          region: { startLine: line, startColumn: column },
        },
        ...(problem.path === ""
          ? {}
          : { logicalLocations: [{ fullyQualifiedName: problem.path }] }),
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
