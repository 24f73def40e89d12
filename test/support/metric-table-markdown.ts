import type {
  LabelValues,
  MetricDefinition,
} from "../../src/telemetry/metrics/metric-definition.ts";
import { metricTable } from "../../src/telemetry/metrics/metric-table.ts";

/** All metrics as a Markdown table, for docs/metrics.md. */
export function renderMetricTable(): string {
  const rows = Object.values<MetricDefinition>(metricTable).map(
    ({ name, labels, help }) =>
      `| \`${name}\` | ${Object.entries(labels).map(labelCell).join("; ")} | ${help} |`,
  );
  return [
    "| metric | labels | meaning |",
    "| --- | --- | --- |",
    ...rows,
    "| `process_*`, `nodejs_*` | | The process: CPU, memory, descriptors, event loop, garbage collection. |",
    "",
  ].join("\n");
}

/** Longer lists of values are shown as their length. */
const listed = 10;

function labelCell([label, values]: readonly [string, LabelValues]): string {
  if (typeof values === "string") return label;
  if (values.length > listed) return `${label}: ${values.length} values`;
  return `${label}: ${values.join(", ")}`;
}
