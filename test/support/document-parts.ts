import { environmentVariables } from "../../src/cli/help/environment.ts";
import { workflowText } from "../../src/cli/init/starter-files.ts";
import { exitCodeHelp } from "../../src/cli/output/exit-codes.ts";
import { diagnosticExamples, diagnosticSituations } from "../../src/desired/diagnostic-examples.ts";
import { operations } from "../../src/emulator/http/operations.ts";
import { diagnosticCodes, type DiagnosticCode } from "../../src/zone/diagnostic-codes.ts";
import { exampleWithEmulator } from "./example.ts";
import { renderMetricTable } from "./metric-table-markdown.ts";
import { isPure, moduleTable } from "./modules.ts";
import { feedsAsTable, sweepsAsTable } from "./quota.ts";
import { keyTable } from "./schema-keys.ts";

/** A part of a document that the program itself writes. */
export interface DocumentPart {
  /** The document, relative to the root of the project. */
  readonly file: string;
  /** Its name in the comments around it. */
  readonly name: string;
  readonly text: string;
}

/** Every part of the documents that is generated. */
export async function documentParts(): Promise<readonly DocumentPart[]> {
  const { emulatorHelp, plan } = await examplePrinted();
  return [
    { file: "README.md", name: "plan", text: plan },
    { file: "docs/architecture.md", name: "modules", text: modulesAsTable() },
    { file: "docs/diagnostics.md", name: "diagnostics", text: diagnosticsAsTable() },
    { file: "docs/emulator.md", name: "control", text: emulatorHelp },
    { file: "docs/emulator.md", name: "operations", text: operationsAsTable() },
    { file: "docs/files.md", name: "configuration-keys", text: keyTable("zonewarden") },
    { file: "docs/files.md", name: "zone-keys", text: keyTable("zones", ["zones", "profiles"]) },
    { file: "docs/metrics.md", name: "metrics", text: renderMetricTable().trim() },
    { file: "docs/operations.md", name: "environment", text: environmentAsTable() },
    { file: "docs/operations.md", name: "exit-codes", text: exitCodesAsTable() },
    { file: "docs/pull-requests.md", name: "workflow", text: workflow() },
    { file: "docs/quota.md", name: "feeds", text: feedsAsTable() },
    { file: "docs/quota.md", name: "sweeps", text: sweepsAsTable() },
    { file: "docs/safety.md", name: "held-plan", text: await heldPlan() },
  ];
}

/** Finds a part in its document: the comment before it, its text, and the comment after it. */
export function placeOf({ name }: Pick<DocumentPart, "name">): RegExp {
  return new RegExp(
    `(?<start><!-- ${name}\\b[^>]*-->\n)(?<text>.*?)(?<end>\n<!-- /${name} -->)`,
    "s",
  );
}

async function examplePrinted(): Promise<{ readonly emulatorHelp: string; readonly plan: string }> {
  await using example = await exampleWithEmulator();
  const { stdout } = await example.place.run("plan");
  const help = await fetch(`${example.emulator.url}/_emulator/`);
  return { plan: asText(stdout), emulatorHelp: asText(await help.text()) };
}

async function heldPlan(): Promise<string> {
  await using example = await exampleWithEmulator({
    config: "limits: { max_update_share: 0.3 }",
  });
  const { stdout } = await example.place.run("plan", "shop.example.com");
  return asText(stdout);
}

function workflow(): string {
  return `\`\`\`yaml\n${workflowText({ config: "zonewarden.yaml" }).trimEnd()}\n\`\`\``;
}

function asText(output: string): string {
  return `\`\`\`text\n${output.trimEnd()}\n\`\`\``;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, heads.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return lines.join("\n");
}

function operationsAsTable(): string {
  const rows = operations.map(({ method, path, summary }) => [method, `\`${path}\``, summary]);
  return table(["method", "path", "operation"], rows);
}

function exitCodesAsTable(): string {
  const joined = exitCodeHelp.replaceAll(/\n {5}/g, " ");
  const rows = [...joined.matchAll(/^ {2}(\d) {2}(.*)$/gm)].map(([, code = "", text = ""]) => [
    code,
    text,
  ]);
  return table(["exit code", "meaning"], rows);
}

function environmentAsTable(): string {
  const rows = environmentVariables.map(({ name, meaning }) => [`\`${name}\``, meaning]);
  return table(["variable", "meaning"], rows);
}

function modulesAsTable(): string {
  const rows = Object.entries(moduleTable).map(([name, { purpose, imports, packages }]) => [
    name.endsWith(".ts") ? `\`${name}\`` : `\`${name}/\`${isPure(name) ? " (pure)" : ""}`,
    purpose,
    imports.join(", "),
    packages.join(", "),
  ]);
  return table(["module", "purpose", "may import", "packages"], rows);
}

function diagnosticsAsTable(): string {
  return table(
    ["code", "severity", "meaning", "example"],
    Object.keys(diagnosticCodes).map(diagnosticRow),
  );
}

function diagnosticRow(code: string): readonly string[] {
  if (!isKnown(code)) throw new Error(`${code} is not a diagnostic code`);
  const { severity, meaning } = diagnosticCodes[code];
  const example =
    diagnosticSituations[code]?.example ?? exampleText(diagnosticExamples[code] ?? "");
  return [code, severity, meaning.replaceAll("|", "\\|"), example];
}

function isKnown(name: string): name is DiagnosticCode {
  return Object.hasOwn(diagnosticCodes, name);
}

/** The last lines of a file, short enough for a table. */
function exampleText(text: string): string {
  const lines = text.trim().split("\n").slice(-3);
  const flat = lines.map((line) => line.trim()).join(" ⏎ ");
  const short = flat.length > 140 ? `${flat.slice(0, 139)}…` : flat;
  return `\`\` ${short.replaceAll("|", "\\|").replaceAll("\t", "\\t")} \`\``;
}
