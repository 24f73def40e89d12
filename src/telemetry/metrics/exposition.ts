/** The values of a label, or a description of what bounds them. */
export type LabelValues = readonly string[] | string;

/** A metric as it is exported and documented. */
export interface MetricDefinition {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly labels: Readonly<Record<string, LabelValues>>;
  /** One line: HELP in the exposition, "meaning" in docs/metrics.md. */
  readonly help: string;
}

/** One value of a metric under its labels. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** HELP and TYPE of a metric. */
export function renderHead({ name, type, help }: MetricDefinition): string {
  return `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${name} ${type}\n`;
}

/** A metric with its samples in the text format 0.0.4. */
export function renderFamily(definition: MetricDefinition, samples: readonly Sample[]): string {
  return (
    renderHead(definition) +
    samples
      .map(({ labels, value }) => `${definition.name}${renderLabels(labels)} ${value}\n`)
      .join("")
  );
}

/** Labels between name and value; "" if there are none. */
export function renderLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

/** A timestamp in seconds; 0 for none. */
export function seconds(at: Date | undefined): number {
  return at === undefined ? 0 : at.getTime() / 1000;
}

function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (found) => (found === "\n" ? "\\n" : `\\${found}`));
}
