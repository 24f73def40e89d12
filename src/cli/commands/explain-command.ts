import { diagnosticExamples, diagnosticSituations } from "../../desired/diagnostic-examples.ts";
import { checkText } from "../../desired/load/check-text.ts";
import { hasColor, type Host } from "../../host/host.ts";
import { renderDiagnostics } from "../../render/diagnostic-formats.ts";
import { nearest } from "../../syntax/nearest.ts";
import { diagnosticCodes, factsOf } from "../../zone/diagnostic-codes.ts";
import type { DefineCommand } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { defineExplainZone } from "./explain-zone.ts";

export const defineExplain: DefineCommand = (command, host, end) => {
  command
    .argument("[code]", "the code of a diagnostic; without it, list all codes")
    .examples(
      "zonewarden explain",
      "zonewarden explain ALLOW_OVERLAP",
      "zonewarden explain zone shop.example.com",
    )
    .action((code: string | undefined) => {
      end(code === undefined ? listCodes(host) : explain(code.toUpperCase(), host));
    });
  const zone = command.command("zone").description("print why a zone is not written");
  defineExplainZone(zone, host, end);
};

function listCodes({ stdout }: Host): ExitCode {
  const codes = Object.entries(diagnosticCodes);
  const width = Math.max(...codes.map(([code]) => code.length));
  for (const [code, { severity, meaning }] of codes) {
    stdout.write(`${code.padEnd(width)}  ${severity.padEnd("warning".length)}  ${meaning}\n`);
  }
  return exitCodes.done;
}

/** Prints the meaning of a code, and what zonewarden says about an example. */
function explain(code: string, host: Host): ExitCode {
  const facts = factsOf(code);
  if (facts === undefined) {
    const guess = nearest(code, Object.keys(diagnosticCodes));
    const hint = guess === undefined ? "`zonewarden explain` lists all" : `did you mean ${guess}?`;
    return fail(`explain: there is no code ${code}; ${hint}`, host);
  }
  const { severity, meaning } = facts;
  const parts = [`${code} (${severity}): ${meaning}`, ...detailsOf(code, host), changing[severity]];
  host.stdout.write(`${parts.join("\n\n")}\n`);
  return exitCodes.done;
}

function detailsOf(code: string, host: Host): readonly string[] {
  const situation = new Map(Object.entries(diagnosticSituations)).get(code);
  if (situation !== undefined) {
    return [`Example: ${situation.example}.`, `Remedy: ${situation.remedy}.`];
  }
  const text = diagnosticExamples[code] ?? "";
  const { diagnostics, sources } = checkText("zones.yaml", text);
  const found = diagnostics.filter((each) => each.code === code).slice(0, 1);
  const color = hasColor(host, host.stdout);
  return [
    `Example:\n\n${indented(text)}`,
    `Diagnostic:\n\n${indented(renderDiagnostics(found, sources, { directory: "", color }))}`,
  ];
}

/** The lines of a text, those that are too long for a screen cut. */
function indented(text: string): string {
  const lines = text.trimEnd().split("\n");
  return lines
    .map((line) => `    ${line.length > maxWidth ? `${line.slice(0, maxWidth)}…` : line}`.trimEnd())
    .join("\n");
}

const maxWidth = 120;

const changing = {
  error: "A file with an error is not used: its last good version stays active.",
  warning: `To suppress it for one line, write a comment on the line before, with a reason:
    # zonewarden-disable-next-line CODE -- reason
To change its level for some or all files, use \`lint\` in zonewarden.yaml.`,
} as const;
