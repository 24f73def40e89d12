import { collectDefaultMetrics, Registry } from "prom-client";

import { type LabelValues, metricTable } from "../../src/telemetry/metrics/metric-table.ts";
import { type Matcher, namesIn } from "./promql.ts";
import { readRules, rulesIn, textAt } from "./rules.ts";

/** Metrics with the labels they have, and the values of these. */
export type Vocabulary = ReadonlyMap<string, Readonly<Record<string, LabelValues>>>;

/** A metric with its labels. */
export interface Vocable {
  readonly name: string;
  readonly labels: Readonly<Record<string, LabelValues>>;
}

/** Labels that Prometheus gives to every series it scrapes. */
const targetLabels = { job: ["zonewarden"], instance: "targets" };

const promised = vocabularyOf([...ours(), ...ofTheProcess()]);

/** What Prometheus knows of metrics that a process exports: with its own labels, and what the rules record. */
export function vocabularyOf(exported: readonly Vocable[]): Vocabulary {
  return new Map(
    [...exported, ...recorded(), { name: "up", labels: {} }].map(({ name, labels }) => [
      name,
      { ...targetLabels, ...labels },
    ]),
  );
}

/** What an expression names and neither the program nor Prometheus has: metrics, labels of them, values of those. */
export function foreignNames(expr: string, vocabulary = promised): readonly string[] {
  const { selections, grouping } = namesIn(expr);
  const known = new Set<string>();
  const foreign: string[] = [];
  for (const { metric, matchers } of selections) {
    const labels = vocabulary.get(metric);
    if (labels === undefined) {
      foreign.push(metric);
      continue;
    }
    for (const label of Object.keys(labels)) known.add(label);
    foreign.push(
      ...matchers.flatMap((matcher) => foreignIn(metric, labels[matcher.label], matcher)),
    );
  }
  foreign.push(...grouping.filter((label) => !known.has(label)));
  return foreign;
}

function foreignIn(
  metric: string,
  values: LabelValues | undefined,
  matcher: Matcher,
): readonly string[] {
  const { label, operator, value } = matcher;
  const named = `${metric}{${label}${operator}"${value}"}`;
  if (values === undefined) return [named];
  // Variables of a dashboard, and labels whose values only the operator knows.
  if (typeof values === "string" || value.startsWith("$")) return [];
  if (operator === "=" || operator === "!=") return values.includes(value) ? [] : [named];
  const hit = value
    .split("|")
    .every((part) => values.some((known) => new RegExp(`^(?:${part})$`).test(known)));
  return hit ? [] : [named];
}

function ours(): readonly Vocable[] {
  return Object.values(metricTable).flatMap(({ name, type, labels }) =>
    type === "histogram" ? histogram(name, labels) : [{ name, labels }],
  );
}

function histogram(name: string, labels: Vocable["labels"]): readonly Vocable[] {
  return [
    { name: `${name}_bucket`, labels: { ...labels, le: "buckets" } },
    { name: `${name}_sum`, labels },
    { name: `${name}_count`, labels },
  ];
}

/** What the metrics client exports of the process, read off the client itself. */
function ofTheProcess(): readonly Vocable[] {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry.getMetricsAsArray().map(({ name }) => ({ name, labels: {} }));
}

/** A recorded series has the labels by which its expression groups, with the values that they have in its metrics. */
function recorded(): readonly Vocable[] {
  const labelsOf = new Map(ours().map(({ name, labels }) => [name, labels]));
  return rulesIn(readRules())
    .filter((rule) => textAt(rule, "record") !== "")
    .map((rule) => {
      const { grouping, selections } = namesIn(textAt(rule, "expr"));
      const values = selections.flatMap(({ metric }) => Object.entries(labelsOf.get(metric) ?? {}));
      const labels = Object.fromEntries(values.filter(([label]) => grouping.includes(label)));
      return { name: textAt(rule, "record"), labels };
    });
}
