import {
  type LabelValues,
  type MetricDefinition,
  metricTable,
} from "../../src/telemetry/metrics/metric-table.ts";
import { kinds } from "../../src/zone/resource.ts";

/** All metrics with their labels as a Markdown list, for docs/metrics.md. */
export function renderMetrics(): string {
  const lines = Object.values<MetricDefinition>(metricTable).map(({ name, labels, help }) => {
    const shown = Object.entries(labels).map(labelText).join("; ");
    return `- \`${name}\`${shown === "" ? "" : ` (${shown})`}: ${help}`;
  });
  const process = "CPU, memory, descriptors, event loop, garbage collection of the process.";
  return [...lines, `- \`process_*\`, \`nodejs_*\`: ${process}`, ""].join("\n");
}

/** Longer lists of values are shown as their length. The page explains the kinds of resources once. */
const listed = 10;

function labelText([label, values]: readonly [string, LabelValues]): string {
  if (typeof values === "string") return label;
  if (values === kinds) return label;
  if (values.length > listed) return `${label}: ${values.length} values`;
  return `${label}: ${values.join(", ")}`;
}
