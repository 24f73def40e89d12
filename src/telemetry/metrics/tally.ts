import { type MetricDefinition, renderHead, renderLabels } from "./exposition.ts";

type Labels = Readonly<Record<string, string>>;

export interface CountSeries {
  count: number;
}

/**
 * A counter whose callers hold its series. The metrics client finds a series by its labels each time, which was
 * measured as an eighth of the cost of a reconcile.
 */
export class CountTally {
  readonly #definition: MetricDefinition;
  readonly #series = new Map<string, CountSeries>();

  constructor(definition: MetricDefinition) {
    this.#definition = definition;
  }

  /** The series with these labels; a new one starts at zero. */
  at(labels: Labels): CountSeries {
    const key = renderLabels(labels);
    const series = this.#series.get(key) ?? { count: 0 };
    this.#series.set(key, series);
    return series;
  }

  /** All series in the text format 0.0.4. */
  render(): string {
    const { name } = this.#definition;
    const samples = this.#series
      .entries()
      .map(([labels, { count }]) => `${name}${labels} ${count}\n`);
    return renderHead(this.#definition) + [...samples].join("");
  }
}

export class TimeSeries {
  /** Count of each bucket, not cumulative; the last is unbounded. */
  readonly counts: number[];
  readonly #bounds: readonly number[];
  /** In seconds. */
  sum = 0;

  /** @param bounds Upper bounds of the buckets, ascending and inclusive. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = [...bounds, Infinity].map(() => 0);
  }

  observe(seconds: number): void {
    let bucket = 0;
    while (seconds > (this.#bounds[bucket] ?? Infinity)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += seconds;
  }
}

/** A histogram of seconds whose callers hold its series. */
export class TimeTally {
  readonly #definition: MetricDefinition;
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, { readonly labels: Labels; readonly series: TimeSeries }>();

  constructor(definition: MetricDefinition, bounds: readonly number[]) {
    this.#definition = definition;
    this.#bounds = bounds;
  }

  /** The series with these labels; a new one starts at zero. */
  at(labels: Labels): TimeSeries {
    const key = renderLabels(labels);
    const known = this.#series.get(key) ?? { labels, series: new TimeSeries(this.#bounds) };
    this.#series.set(key, known);
    return known.series;
  }

  /** All series in the text format 0.0.4. */
  render(): string {
    const samples = this.#series.values().map(({ labels, series }) => this.#render(labels, series));
    return renderHead(this.#definition) + [...samples].join("");
  }

  #render(labels: Labels, { counts, sum }: TimeSeries): string {
    const { name } = this.#definition;
    let count = 0;
    const buckets = counts.map((own, index) => {
      count += own;
      const le = String(this.#bounds[index] ?? "+Inf");
      return `${name}_bucket${renderLabels({ ...labels, le })} ${count}\n`;
    });
    const text = renderLabels(labels);
    return `${buckets.join("")}${name}_sum${text} ${sum}\n${name}_count${text} ${count}\n`;
  }
}
