import { operations } from "../../src/emulator/http/operations.ts";
import { renderMetricTable } from "../../src/telemetry/metrics/metric-table.ts";
import { exampleWithEmulator } from "./example.ts";

/** A part of a document that comes from the program itself. */
export interface DocumentPart {
  /** The document, from the root of the project. */
  readonly file: string;
  /** Stands in the comments around it. */
  readonly name: string;
  readonly text: string;
}

/** Every such part. */
export async function documentParts(): Promise<readonly DocumentPart[]> {
  await using example = await exampleWithEmulator();
  const { stdout } = await example.place.run("plan");
  const rows = operations.map(
    ({ method, path, summary }) => `| ${method} | \`${path}\` | ${summary} |`,
  );
  return [
    { file: "README.md", name: "plan", text: `\`\`\`text\n${stdout}\`\`\`` },
    { file: "deploy/METRICS.md", name: "metrics", text: renderMetricTable().trim() },
    {
      file: "src/emulator/OPERATIONS.md",
      name: "operations",
      text: ["| method | path | |", "| --- | --- | --- |", ...rows].join("\n"),
    },
  ];
}

/** Where a part stands: the comment before it, itself, and the comment behind it. */
export function placeOf({ name }: Pick<DocumentPart, "name">): RegExp {
  return new RegExp(
    `(?<start><!-- ${name}\\b[^>]*-->\n)(?<text>.*?)(?<end>\n<!-- /${name} -->)`,
    "s",
  );
}
