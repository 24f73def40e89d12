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

/** One value of a metric under its labels. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** HELP and TYPE, which stand once before the samples of a metric. */
export function renderHead({ name, type, help }: MetricDefinition): string {
  return `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${name} ${type}\n`;
}

/** The samples of one metric in the text format 0.0.4, with their head. */
export function renderFamily(definition: MetricDefinition, samples: readonly Sample[]): string {
  return (
    renderHead(definition) +
    samples
      .map(({ labels, value }) => `${definition.name}${renderLabels(labels)} ${value}\n`)
      .join("")
  );
}

/** Labels as they stand between name and value; "" where there are none. */
export function renderLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

/** A moment in seconds; 0 for none. */
export function seconds(at: Date | undefined): number {
  return at === undefined ? 0 : at.getTime() / 1000;
}

function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (found) => (found === "\n" ? "\\n" : `\\${found}`));
}
