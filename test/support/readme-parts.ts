import { operations } from "../../src/emulator/operations.ts";
import { renderMetricTable } from "../../src/telemetry/metric-table.ts";
import { exampleWithEmulator } from "./example.ts";

/** The parts of the README that come from the program itself, by the name in the comments around them. */
export async function readmeParts(): Promise<Readonly<Record<string, string>>> {
  await using example = await exampleWithEmulator();
  const { stdout } = await example.place.run("plan");
  const rows = operations.map(
    ({ method, path, summary }) => `| ${method} | \`${path}\` | ${summary} |`,
  );
  return {
    plan: `\`\`\`text\n${stdout}\`\`\``,
    metrics: renderMetricTable().trim(),
    operations: ["| method | path | |", "| --- | --- | --- |", ...rows].join("\n"),
  };
}

/** Where a part stands: the comment before it, itself, and the comment behind it. */
export function placeOf(part: string): RegExp {
  return new RegExp(
    `(?<start><!-- ${part}\\b[^>]*-->\n)(?<text>.*?)(?<end>\n<!-- /${part} -->)`,
    "s",
  );
}
