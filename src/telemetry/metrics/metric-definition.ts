/** The values of a label, or a description of what bounds them. */
export type LabelValues = readonly string[] | string;

/** The value of each label of one series. */
export type Labels = Readonly<Record<string, string>>;

/** A metric as it is exported and documented. */
export interface MetricDefinition {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly labels: Readonly<Record<string, LabelValues>>;
  /** One line: HELP in the exposition, "meaning" in docs/metrics.md. */
  readonly help: string;
}

/** A histogram with the upper bounds of its buckets. */
export interface HistogramDefinition extends MetricDefinition {
  readonly buckets: readonly number[];
}

/** A metric that only grows. */
export function counter(
  name: string,
  help: string,
  labels: MetricDefinition["labels"],
): MetricDefinition {
  return { name, type: "counter", labels, help };
}

/** A metric that grows and shrinks. */
export function gauge(
  name: string,
  help: string,
  labels: MetricDefinition["labels"] = {},
): MetricDefinition {
  return { name, type: "gauge", labels, help };
}

/** A metric of durations in seconds. */
export function histogram(
  name: string,
  help: string,
  labels: MetricDefinition["labels"],
  buckets: readonly number[],
): HistogramDefinition {
  return { name, type: "histogram", labels, help, buckets };
}

/** All combinations of label values; none if a label is open. */
export function seriesOf(labels: MetricDefinition["labels"]): readonly Labels[] {
  let found: readonly Labels[] = [{}];
  for (const [label, values] of Object.entries(labels)) {
    if (typeof values === "string") return [];
    found = found.flatMap((known) => values.map((value) => ({ ...known, [label]: value })));
  }
  return found;
}

/** A timestamp in seconds; 0 for none. */
export function seconds(at: Date | undefined): number {
  return at === undefined ? 0 : at.getTime() / 1000;
}
