import { describe, it } from "vitest";

import { namesIn } from "./promql.ts";

describe("reading names off PromQL", () => {
  it.for([
    { expr: 'up{job="a"} == 1', metrics: ["up"], labels: ["job"], grouping: [] },
    {
      expr: 'sum by (job, le) (rate(x_bucket{phase="total"}[1h])) > on (job) group_left () (2 * y + 300)',
      metrics: ["x_bucket", "y"],
      labels: ["phase"],
      grouping: ["job", "le", "job"],
    },
    {
      expr: 'count_values by (job) ("hash", z) and on (c) max(t offset 5m) > time() - 14 * 86400',
      metrics: ["z", "t"],
      labels: [],
      grouping: ["job", "c"],
    },
    {
      expr: 'job:a:rate5m / (job:b:rate5m{code!~"2..|304", method="GET"} > 0)',
      metrics: ["job:a:rate5m", "job:b:rate5m"],
      labels: ["code", "method"],
      grouping: [],
    },
  ])("finds what $expr names", ({ expr, metrics, labels, grouping }, { expect }) => {
    const names = namesIn(expr);
    expect(names.selections.map(({ metric }) => metric)).toEqual(metrics);
    expect(names.selections.flatMap(({ matchers }) => matchers.map(({ label }) => label))).toEqual(
      labels,
    );
    expect(names.grouping).toEqual(grouping);
  });
});
