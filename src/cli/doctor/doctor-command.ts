import type { Host } from "../../host/host.ts";
import { handleShutdown } from "../../host/shutdown.ts";
import { plural } from "../../render/format.ts";
import type { DefineCommand, PrintFlags } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { examine } from "./examine.ts";
import { countOf, exitCodeOf, type CheckFinding, findingsJson } from "./finding.ts";

export const defineDoctor: DefineCommand = (command, host, end) => {
  command
    .configFile()
    .formats("text", "json")
    .examples(
      "zonewarden doctor",
      "zonewarden doctor --config /etc/zonewarden/zonewarden.yaml",
      "zonewarden doctor --format json | jq '.findings[] | select(.status == \"error\")'",
    )
    .action(async (flags: PrintFlags) => {
      end(await doctor(flags, host));
    });
};

async function doctor({ config, format }: PrintFlags, host: Host): Promise<ExitCode> {
  using shutdown = handleShutdown(host, exitCodes.failed);
  const { stop } = shutdown.signals;
  try {
    const findings = await examine(config, host, stop);
    const text =
      format === "json"
        ? JSON.stringify(findingsJson(findings), null, 2)
        : [...findings.flatMap(linesOf), "", summaryOf(findings)].join("\n");
    host.stdout.write(`${text}\n`);
    return exitCodeOf(findings);
  } catch (error) {
    if (stop.aborted) return fail("stopped by a signal before the end", host);
    throw error;
  }
}

const statusWidth = "warning".length;
const checkWidth = "configuration".length;

function linesOf({ status, check, message, remedy }: CheckFinding): readonly string[] {
  const name = check.replace("_", " ");
  const first = `${status.padEnd(statusWidth)}  ${name.padEnd(checkWidth)}  ${message}`;
  const indent = " ".repeat(statusWidth + checkWidth + 4);
  return remedy === "" ? [first] : [first, `${indent}To mend it: ${remedy}`];
}

function summaryOf(findings: readonly CheckFinding[]): string {
  const errors = countOf(findings, "error");
  const warnings = countOf(findings, "warning");
  if (errors + warnings === 0) return "No problem found.";
  return `${plural(errors, "error")}, ${plural(warnings, "warning")}.`;
}
