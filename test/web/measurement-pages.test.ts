import { describe, it } from "vitest";

import type { ZoneSeries } from "../../src/measure/measured-series.ts";
import type { HourCount } from "../../src/measure/measurement.ts";
import { textOfHtml } from "../../src/render/html.ts";
import type { CollectorStatus } from "../../src/state/collector-status.ts";
import type { DaemonStatus } from "../../src/state/daemon-status.ts";
import { renderZonePage } from "../../src/web/pages/page-zone.ts";
import type { ServerOptions } from "../../src/web/server.ts";
import { fleetOf, shop } from "../support/fleets.ts";
import { measured, measuredWeek, seriesUntil } from "../support/measured-week.ts";
import { fleetPage, snapshotOf, wordsOf } from "../support/pages.ts";
import { at, daemon } from "../support/reports.ts";
import { serveFleet } from "../support/web-server.ts";

const collecting: CollectorStatus = { state: "collecting", reason: "" };
const until = new Date("2026-11-27T10:00:00Z");

/** The shop's page with counts. */
function pageWith(
  series: ZoneSeries | string | undefined,
  measurements: CollectorStatus = collecting,
): string {
  return pageOf(series, { measurements });
}

function pageOf(series: ZoneSeries | string | undefined, facts: Partial<DaemonStatus>): string {
  const fleet = fleetOf();
  const state = fleet.zone(shop);
  if (state === undefined) throw new Error("not declared");
  const snapshot = { ...snapshotOf(fleet), daemon: daemon(facts) };
  return textOfHtml(renderZonePage(snapshot, state, series));
}

/** The chart whose label begins with a text: the data of its forms by their classes. */
function chartOf(page: string, name: string): Readonly<Record<string, string>> {
  const [svg = ""] =
    page.match(new RegExp(`<svg[^>]*aria-label="${name} by hour.*?</svg>`, "s")) ?? [];
  const paths = [...svg.matchAll(/<path class="(\w+)" d="([^"]*)"/g)];
  return Object.fromEntries(paths.map(([, kind = "", data = ""]) => [kind, data]));
}

describe("measurements on the pages", () => {
  it("are not shown where nothing is measured", ({ expect }) => {
    expect(pageWith(undefined)).not.toContain("Measurements");
    const off = { state: "off", reason: "" } as const;
    expect(wordsOf(fleetPage(fleetOf()))).not.toContain("Measurements");
    expect(pageWith(undefined, off)).not.toContain("Measurements");
    // A process that stops to measure while it reads.
    const stopped = pageOf(measuredWeek(until), { measurements: undefined });
    expect(stopped).not.toContain("Measurements");
  });

  it("show each object in numbers, and what is not known as unknown", ({ expect }) => {
    const words = wordsOf(pageWith(measuredWeek(until)));
    const rows = [
      "Measurements by hour, 20 Nov 10:00 to 27 Nov 10:00 UTC",
      "All requests 1,579,742 requests; at most 18,900 in an hour (20 Nov 16:00)",
      "custom_rule/block-bad-bots 2,319 events, 0.17 % of requests; block 2,319; at most 504 in an hour (22 Nov 14:00); in 144 of 168 hours",
      "managed_rule/owasp ~61,060 events, 4.44 % of requests; log ~61,060; at most 840 in an hour (20 Nov 16:00); in 144 of 168 hours",
      "rate_limiting_rule/login 33 events, &lt; 0.01 % of requests; at most 3 in an hour (23 Nov 01:00); in 108 of 168 hours",
      "policy/checkout 73 violations, 0.02 % of requests; log 73; at most 4 in an hour (26 Nov 00:00); in 38 of 168 hours",
      "policy/site unknown (168 h refused); refused: the plan of the zone does not include it",
      "20 Nov 10:00 27 Nov 10:00 UTC measured",
    ];
    expect(words).toContain(rows.join(" "));
  });

  it("tell every state of an hour apart, in the picture and for those who do not see it", ({
    expect,
  }) => {
    const page = pageWith(measuredWeek(until));
    expect(page).toContain(
      'aria-label="managed_rule/owasp by hour: 93 h measured, 44 h sampled, 7 h no traffic, 3 h failed, 21 h missing"',
    );
    const morning = Array.from({ length: 10 }, () => measured(9));
    expect(chartOf(pageWith(seriesUntil(until, morning, [])), "requests")["days"]).toBe("");
    const owasp = chartOf(page, "managed_rule/owasp");
    expect(owasp["days"]).toBe("M14 0v32M38 0v32M62 0v32M86 0v32M110 0v32M134 0v32M158 0v32");
    expect(Object.keys(owasp).toSorted()).toEqual(
      ["days", "failed", "measured", "missing", "no_traffic", "sampled"].toSorted(),
    );
    expect(owasp["missing"]).toBe("M100 0h21v32h-21z");
    expect(owasp["failed"]).toBe("M140 0h3v32h-3zM140 32l3 -32M140 0l3 32");
    expect(owasp["sampled"]).toMatch(/^(M\d+ 32v-[\d.]+h0\.5V32z){44}$/);
    expect(chartOf(page, "policy/site")["refused"]).toBe("M0 0h168v32h-168zM0 32l168 -32");
    expect(chartOf(page, "rate_limiting_rule/login")["undeclared"]).toBe("M0 16h60");
    expect(wordsOf(page)).toContain("sampled no traffic refused failed missing undeclared Figures");
    expect(page).toMatch(
      /aria-hidden="true"\s*viewBox="0 0 4 32".{0,99}"M0 32v-12.8h1V32zM1 32v-25.6h1V32zM2 32v-19.2h1V32zM3 32v-32h1V32z" \/>\s*<\/svg> measured/s,
    );
  });

  it("draw a measured zero lower than the least count, and none where none was measured", ({
    expect,
  }) => {
    const hours: readonly HourCount[] = [
      measured(0),
      measured(1),
      measured(1_000),
      measured(333),
      { state: "missing" },
      measured(0),
      measured(0),
    ];
    const requests = hours.map((_, nth) => measured(nth < 5 ? 5_000 : 0));
    const page = pageWith(seriesUntil(until, requests, [["policy/a", hours]]));
    const once = pageWith(seriesUntil(until, [measured(9)], [["policy/a", [measured(1)]]]));
    expect(chartOf(once, "policy/a")["measured"]).toBe("M0 32v-32h1V32z");
    const { measured: bars, no_traffic: pauses } = chartOf(page, "policy/a");
    expect(bars).toBe("M0 32v-1h1V32zM1 32v-3h1V32zM2 32v-32h1V32zM3 32v-10.7h1V32z");
    expect(pauses).toBe("M5 32v-3h0.5V32zM6 32v-3h0.5V32z");
  });

  it("have figures by day without zeros for what was not measured", ({ expect }) => {
    const page = pageWith(measuredWeek(until));
    const rows = [
      "Counted 20 Nov 21 Nov 22 Nov 23 Nov 24 Nov 25 Nov 26 Nov 27 Nov",
      "All requests 204,631 237,600 237,600 154,142 237,600 237,600 237,600 32,969",
      "custom_rule/block-bad-bots 273 318 798 207 115 10 h missing 260 11 h missing 303 3 h failed 45",
      "managed_rule/owasp 9,100 10,560 10,560 6,850 3,800 10 h missing ~8,660 11 h missing ~10,070 3 h failed ~1,460",
      "rate_limiting_rule/login 14 h undeclared 24 h undeclared 0 22 h undeclared 6 9 6 9 3",
      "policy/checkout 14 h missing 24 h missing 24 h missing 24 h missing 24 h missing 6 20 h missing 47 20",
      "policy/site 14 h refused",
    ];
    expect(wordsOf(page)).toContain(`Figures by day ${rows.join(" ")}`);
    expect(page).not.toContain('<span class="note"></span>');
    expect(page).toContain('<table class="figures">');
    expect(page).toContain('<h2 id="measured-title">');
  });

  it("show of very many objects those that counted the most or are not known", ({ expect }) => {
    const objects = Array.from({ length: 300 }, (_, nth) => {
      const hour: HourCount = nth === 7 ? { state: "failed" } : measured(nth);
      return [`custom_rule/r${1_000 + nth}`, [hour]] as const;
    });
    const page = pageWith(seriesUntil(until, [measured(9_000)], objects));
    const names = [...page.matchAll(/aria-label="custom_rule\/r(\d+) by hour/g)].map(([, n]) =>
      Number(n),
    );
    expect(names).toEqual([1_007, ...Array.from({ length: 39 }, (_, nth) => 1_261 + nth)]);
    expect(wordsOf(page)).toContain("and 260 more objects");
  });

  it.for<{
    readonly requests: readonly HourCount[];
    readonly of?: HourCount;
    readonly says: string;
  }>([
    { requests: [{ state: "missing" }], says: "Nothing is measured yet." },
    {
      requests: [measured(9), { state: "missing" }],
      says: "All requests 9 requests; at most 9 in an hour (27 Nov 08:00); in 1 of 2 hours",
    },
    {
      requests: [{ state: "missing" }],
      of: { state: "missing" },
      says: "policy/a unknown (1 h missing)",
    },
    {
      requests: [measured(9)],
      of: measured(0),
      says: "policy/a 0 violations, 0.00 % of requests 27 Nov 09:00 27 Nov 10:00 UTC measured Figures by day Counted 27 Nov All requests 9 policy/a 0 JSON",
    },
    {
      requests: [measured(9)],
      of: measured(1),
      says: "11.11 % of requests; at most 1 in an hour (27 Nov 09:00)",
    },
    {
      requests: [measured(9_000)],
      of: measured(40, {}, 10),
      says: "policy/a ~40 violations, 0.44 % of requests; at most ~40 in an hour (27 Nov 09:00) 27",
    },
  ])("say of little: $says", ({ requests, of, says }, { expect }) => {
    const series = seriesUntil(until, requests, of === undefined ? [] : [["policy/a", [of]]]);
    expect(wordsOf(pageWith(series))).toContain(says);
  });

  it("say what is wrong with the collector", ({ expect }) => {
    const denied = { state: "denied", reason: "not authorized" } as const;
    const says =
      "denied : not authorized measurements not permitted: give the token the permission Analytics: Read";
    expect(wordsOf(pageWith(measuredWeek(until), denied))).toContain(says);
  });

  it("say that the counts cannot be read", ({ expect }) => {
    const page = pageWith("the disk <b>failed");
    expect(page).toContain('<section class="card warning">');
    expect(wordsOf(page)).toContain(
      "Measurements The counts cannot be read the disk &lt;b&gt;failed",
    );
  });
});

/** Status and body of an answer of the API. */
async function answer(
  query: string,
  seriesOf: ServerOptions["seriesOf"],
  facts: Partial<DaemonStatus> = { measurements: collecting },
): Promise<readonly [number, unknown]> {
  await using server = await serveFleet(fleetOf(), { seriesOf, facts: () => daemon(facts) });
  const response = await fetch(`${server.url}/api/v1/zones/${query}`);
  return [response.status, await response.json()];
}

function nothing(): Promise<undefined> {
  return Promise.resolve(undefined);
}

function failing(): Promise<never> {
  return Promise.reject(new Error("the disk failed"));
}

describe("/api/v1/zones/{name}/measurements", () => {
  it("has the hours since a moment", async ({ expect }) => {
    const asked: Date[] = [];
    const seriesOf: ServerOptions["seriesOf"] = (_zone, since) => {
      asked.push(since);
      return Promise.resolve(seriesUntil(until, [measured(0)], [["policy/a", [measured(0)]]]));
    };
    const [status, body] = await answer(`${shop}/measurements?since=2026-01-01`, seriesOf);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      requests: [{ hour: "2026-11-27T09:00:00.000Z", state: "no_traffic", count: 0 }],
      objects: [{ key: "policy/a", hours: [{ state: "no_traffic" }] }],
      collector: { state: "collecting", reason: null },
    });
    await answer(`${shop}/measurements`, seriesOf);
    expect(asked).toEqual([new Date("2026-01-01"), new Date(Number(at(10)) - 7 * 86_400_000)]);
  });

  it("says why it has none", async ({ expect }) => {
    const unset = { error: "nothing is measured: the configuration sets no measurements" };
    expect(await answer(`${shop}/measurements`, nothing)).toEqual([404, unset]);
    // A process that stops to measure while it reads.
    const stopped = { measurements: undefined };
    const week = measuredWeek(until);
    expect(await answer(`${shop}/measurements`, () => Promise.resolve(week), stopped)).toEqual([
      404,
      unset,
    ]);
    expect(await answer("other.example/measurements", nothing)).toEqual([
      404,
      { error: "the zone is not declared" },
    ]);
    for (const [since, is] of [
      ["yesterday", 400],
      ["2999-01-01", 400],
      ["0h", 404],
    ] as const) {
      const [status] = await answer(`${shop}/measurements?since=${since}`, nothing);
      expect(status).toBe(is);
    }
    expect(await answer(`${shop}/measurements`, failing)).toEqual([
      503,
      { error: "the disk failed" },
    ]);
  });

  it("does not keep the page of the zone from being shown", async ({ expect }) => {
    await using server = await serveFleet(fleetOf(), {
      seriesOf: failing,
      facts: () => daemon({ measurements: collecting }),
    });
    const response = await fetch(`${server.url}/zones/${shop}`);
    expect(response.status).toBe(200);
    expect(wordsOf(await response.text())).toContain("The counts cannot be read the disk failed");
  });
});
