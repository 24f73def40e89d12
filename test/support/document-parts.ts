import { environmentVariables } from "../../src/cli/help/topics.ts";
import { workflowText } from "../../src/cli/init/starter-files.ts";
import { exitCodeHelp } from "../../src/cli/output/exit-codes.ts";
import { liveKeys } from "../../src/daemon/config-reload.ts";
import { holdReasons } from "../../src/plan/guard/hold.ts";
import { chartConfigSchema } from "./chart-config.ts";
import { exampleWithEmulator } from "./example.ts";
import { effectsAsTable, holdsAsTable, reasonsOfAlertAsTable } from "./hold-tables.ts";
import { markdownTable } from "./markdown-table.ts";
import { renderMetrics } from "./metric-list.ts";
import { isPure, moduleTable } from "./modules.ts";
import { feedsAsTable, sweepsAsTable } from "./quota.ts";
import { keyList } from "./schema-keys.ts";

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
  return [
    { file: "README.md", name: "plan", text: await examplePlan() },
    { file: "docs/architecture.md", name: "modules", text: modulesAsTable() },
    { file: "docs/files.md", name: "configuration-keys", text: keyList("zonewarden") },
    { file: "docs/files.md", name: "zone-keys", text: keyList("zones", ["zones", "profiles"]) },
    { file: "docs/metrics.md", name: "metrics", text: renderMetrics().trim() },
    { file: "docs/operations.md", name: "live-keys", text: liveKeysAsList() },
    { file: "docs/command-line.md", name: "environment", text: environmentAsTable() },
    { file: "docs/command-line.md", name: "exit-codes", text: exitCodesAsTable() },
    { file: "docs/pull-requests.md", name: "workflow", text: workflow() },
    { file: "docs/quota.md", name: "feeds", text: feedsAsTable() },
    { file: "docs/quota.md", name: "sweeps", text: sweepsAsTable() },
    { file: "docs/safety.md", name: "held-plan", text: await heldPlan() },
    { file: "docs/safety.md", name: "hold-effects", text: effectsAsTable() },
    { file: "docs/safety.md", name: "holds", text: holdsAsTable() },
    {
      file: "deploy/runbooks/ZonewardenZoneHeld.md",
      name: "holds",
      text: reasonsOfAlertAsTable("ZonewardenZoneHeld"),
    },
    { file: "schemas/status.schema.json", name: "reason", text: listed(holdReasons) },
    { file: "deploy/chart/values.schema.json", name: "configuration", text: chartConfigSchema() },
  ];
}

/**
 * Finds a part in its document: what is before it, its text, and what is after it. In Markdown, comments enclose it; in the
 * chart's schema, it is the definition with its name, and in another schema the closed set of values of this definition.
 */
export function placeOf({ file, name }: Pick<DocumentPart, "file" | "name">): RegExp {
  if (file.startsWith("deploy/chart/")) {
    return new RegExp(`(?<start>^    "${name}": )(?<text>\\{.*?^    \\})(?<end>)`, "ms");
  }
  if (file.endsWith(".json")) {
    return new RegExp(
      `(?<start>^    "${name}": {\n +"enum": \\[\n)(?<text>.*?)(?<end>\n +\\])`,
      "ms",
    );
  }
  return new RegExp(
    `(?<start><!-- ${name}\\b[^>]*-->\n)(?<text>.*?)(?<end>\n<!-- /${name} -->)`,
    "s",
  );
}

async function examplePlan(): Promise<string> {
  await using example = await exampleWithEmulator({
    config: "store: { path: state }\nmeasurements: {}",
  });
  const { stdout } = await example.place.run("plan", "shop.example.com");
  return asText(stdout);
}

async function heldPlan(): Promise<string> {
  await using example = await exampleWithEmulator({
    config: "limits: { max_update_share: 0.3 }",
  });
  const { stdout } = await example.place.run("plan", "shop.example.com");
  const [held = ""] = /^ {2}held by .*?\n(?=\n)/ms.exec(stdout) ?? [];
  return asText(held);
}

function workflow(): string {
  return `\`\`\`yaml\n${workflowText("zonewarden.yaml").trimEnd()}\n\`\`\``;
}

function asText(output: string): string {
  return `\`\`\`text\n${output.trimEnd()}\n\`\`\``;
}

/** Values as a schema lists them. */
function listed(values: readonly string[]): string {
  return values.map((value) => `        "${value}"`).join(",\n");
}

function exitCodesAsTable(): string {
  const joined = exitCodeHelp.replaceAll(/\n {5}/g, " ");
  const rows = [...joined.matchAll(/^ {2}(\d) {2}(.*)$/gm)].map(([, code = "", text = ""]) => [
    code,
    text,
  ]);
  return markdownTable(["exit code", "meaning"], rows);
}

function liveKeysAsList(): string {
  return liveKeys.map((key) => `- \`${key}\``).join("\n");
}

function environmentAsTable(): string {
  const rows = Object.entries(environmentVariables).map(([name, meaning]) => [
    `\`${name}\``,
    meaning,
  ]);
  return markdownTable(["variable", "meaning"], rows);
}

function modulesAsTable(): string {
  const rows = Object.entries(moduleTable).map(([name, { purpose }]) => [
    name.endsWith(".ts") ? `\`${name}\`` : `\`${name}/\`${isPure(name) ? " (pure)" : ""}`,
    purpose,
  ]);
  return markdownTable(["module", "purpose"], rows);
}
