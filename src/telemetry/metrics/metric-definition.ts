/** The values that a label can have: all of them, or in words what bounds them. */
export type LabelValues = readonly string[] | string;

/** A metric as it is exported and documented. */
export interface MetricDefinition {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly labels: Readonly<Record<string, LabelValues>>;
  /** One line: HELP in the exposition, "meaning" in the table. */
  readonly help: string;
}
