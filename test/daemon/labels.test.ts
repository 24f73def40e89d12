import { describe, it } from "vitest";

import { byText } from "../../src/syntax/by-text.ts";
import { coerceObjects, coerceText } from "../../src/syntax/json.ts";
import type { Started } from "../support/command-line.ts";
import { control } from "../support/example.ts";
import { startJsonSink } from "../support/http-server.ts";
import { labelledExample } from "../support/labelled-example.ts";
import { logged } from "../support/log-lines.ts";
import { wordsOf } from "../support/pages.ts";
import { installation, noPostgres } from "../support/postgres.ts";
import { eventually } from "../support/processes.ts";
import { isEveryZoneRun, jsonFrom, stop, textFrom } from "../support/running.ts";
import { parsed, seriesIn } from "../support/scrapes.ts";

const shop = "shop.example.com";
const blog = "blog.example.com";
const www = "www.brand.example";

function zonesIn(text: string): readonly string[] {
  return [shop, blog, www].filter((zone) => text.includes(zone));
}

/** The zones of the list of the API, and of the table of the page, for a selector. */
async function zonesShown(daemon: Started, selector: string): Promise<readonly string[]> {
  const query = `?selector=${encodeURIComponent(selector)}`;
  const page = await textFrom(daemon, query);
  const list = coerceObjects((await jsonFrom(daemon, `api/v1/zones${query}`))["zones"]);
  const rows = zonesIn(/<tbody>.*<\/tbody>/s.exec(page)?.[0] ?? "");
  const listed = zonesIn(list.map(({ name }) => coerceText(name)).join(" "));
  return JSON.stringify(rows) === JSON.stringify(listed)
    ? rows
    : ["page", ...rows, "API", ...listed];
}

function everyZoneRun(daemon: Started): Promise<true> {
  return eventually("every zone is run", async () => (await isEveryZoneRun(daemon)) || undefined);
}

describe("a daemon whose zones have labels", () => {
  it("shows them, selects by them, routes by them and exports those of its choice", async ({
    expect,
  }) => {
    await using payments = await startJsonSink();
    await using both = await startJsonSink();
    await using all = await startJsonSink();
    await using example = await labelledExample({
      config: `metrics: { zone_labels: [team] }
notifications:
  - { name: payments, type: webhook, url: "${payments.url}", labels: "team=payments" }
  - { name: both, type: webhook, url: "${both.url}", labels: "tier=gold", zones: ["www.*", "blog.*"] }
  - { name: all, type: webhook, url: "${all.url}" }`,
    });
    const daemon = example.place.start("run");
    await everyZoneRun(daemon);
    expect(await zonesShown(daemon, "")).toEqual([shop, blog, www]);
    expect(await zonesShown(daemon, "team=payments")).toEqual([shop]);
    expect(await zonesShown(daemon, "team=content,!tier")).toEqual([www]);
    expect(await zonesShown(daemon, "team=nobody")).toEqual([]);
    // What a profile brings is a label too, and the zone's own entry comes after it.
    expect(await jsonFrom(daemon, `api/v1/zones/${www}`)).toMatchObject({
      labels: { team: "content" },
    });
    expect(wordsOf(await textFrom(daemon, `zones/${shop}`))).toContain("team=payments tier=gold");

    const series = seriesIn(await textFrom(daemon, "metrics"));
    // An alert on errors of a sink needs its series before the first one.
    const errors = 'zonewarden_notifications_total{sink="payments",result="error"}';
    expect(series.get(errors)).toBe(0);
    const statuses = [...series]
      .filter(([name, value]) => name.startsWith("zonewarden_zone_status{") && value === 1)
      .map(([name]) => parsed(name).labels);
    expect(
      statuses
        .map(({ zone, label_team: team, label_tier: tier }) => [zone, team, tier])
        .toSorted(byText(String)),
    ).toEqual([
      [blog, "content", undefined],
      [shop, "payments", undefined],
      [www, "content", undefined],
    ]);

    for (const zone of [shop, www]) {
      await control(example, "edit", { zone, settings: { enabled: false } });
    }
    daemon.signal("SIGHUP");
    await eventually("the drift of both zones is told, and counted", async () => {
      const counts = seriesIn(await textFrom(daemon, "metrics"));
      const done = counts.get('zonewarden_notifications_total{sink="all",result="done"}') ?? 0;
      return (zonesIn(JSON.stringify(all.objects)).length === 2 && done >= 2) || undefined;
    });
    expect(await stop(daemon)).toBe(0);
    expect(zonesIn(JSON.stringify(all.objects))).toEqual([shop, www]);
    expect(zonesIn(JSON.stringify(payments.objects))).toEqual([shop]);
    expect(zonesIn(JSON.stringify(both.objects))).toEqual([]);
  });

  it.skipIf(noPostgres)(
    `shows a process that waits what labels they had at their last run ${noPostgres ?? ""}`,
    async ({ expect }) => {
      const { url } = await installation();
      await using example = await labelledExample({
        config: "store: { postgres: { url_file: database-url } }",
      });
      await example.place.write("database-url", url);
      const leader = example.place.start("run");
      await everyZoneRun(leader);
      const waiting = example.place.start("run");
      const { holder } = await logged(waiting, "another process leads");
      expect(holder).toMatch(/^here_/);
      await eventually("the labels are stored", async () =>
        (await zonesShown(waiting, "team")).length === 3 ? true : undefined,
      );
      expect(await zonesShown(waiting, "team=payments,tier=gold")).toEqual([shop]);
      expect(await zonesShown(waiting, "!tier")).toEqual([www]);
      expect(await textFrom(waiting, "")).toContain('href="/?selector=team%3Dpayments"');
      expect(await stop(waiting)).toBe(0);
      expect(await stop(leader)).toBe(0);
    },
  );
});
