import { isDeepStrictEqual } from "node:util";

import { describe, it } from "vitest";

import { isJsonObject } from "../../src/syntax/json.ts";
import { dashboards, expressionsOf } from "../deploy/dashboards.ts";
import { objectsIn, readRules, rulesIn, textAt } from "../deploy/rules.ts";
import { type Example, control, exampleWithEmulator } from "../support/example.ts";
import { type JsonSink, startJsonSink } from "../support/http-server.ts";
import { eventually, missing, startDaemon } from "../support/processes.ts";
import { type Page, pagesAt, startMonitoring } from "./monitoring.ts";

const why =
  missing("prometheus", "prometheus") ??
  missing("prometheus-alertmanager", "prometheus-alertmanager");

const shop = "shop.example.com";

/** The example, in sync, and a daemon that only observes from then on: what drifts stays so until somebody repairs it. */
async function observedExample(): Promise<Example> {
  const example = await exampleWithEmulator();
  await example.place.run("apply");
  await example.place.write(
    "observe/zonewarden.yaml",
    `mode: observe
api: { base_url: "${example.emulator.baseUrl}" }
desired: { path: ../zones }
schedule: { cron: "* * * * * *" }
server: { listen: "127.0.0.1:0" }
log: { format: json }
`,
  );
  return example;
}

function paged(pager: JsonSink, wanted: Partial<Page>): Promise<Page> {
  const text = JSON.stringify(wanted);
  return eventually(
    `a page like ${text}`,
    () => pagesAt(pager).find((page) => isDeepStrictEqual({ ...page, ...wanted }, page)),
    60,
  ).catch((cause: unknown) => {
    throw new Error(`no page like ${text} among ${JSON.stringify(pagesAt(pager))}`, { cause });
  });
}

describe.skipIf(why !== undefined)(`Prometheus and Alertmanager ${why ?? ""}`, () => {
  it("page for an edit that weakens a zone, and take it back when it is repaired", async ({
    expect,
  }) => {
    await using example = await observedExample();
    await using daemon = await startDaemon(`${example.place.directory}/observe`);
    await using pager = await startJsonSink();
    await using _monitoring = await startMonitoring(example.place.directory, daemon.address, pager);
    // What differs when the daemon first reads a zone is not drift: the edit must come after that.
    await eventually("the daemon has read every zone", async () =>
      (await (await fetch(`${daemon.address}/api/v1/fleet`)).text()).includes('"in_sync":3')
        ? true
        : undefined,
    );
    const weaker = { paranoia_level: 1 };
    await control(example, "edit", { zone: shop, rule: "zonewarden:owasp", set: weaker });
    const alert = "ZonewardenDriftWeakensProtection";
    const page = await paged(pager, { alert, status: "firing" });
    expect(page).toEqual({
      status: "firing",
      alert,
      severity: "critical",
      zone: shop,
      summary: `${shop}: drift of kind managed_rule weakens the protection.`,
    });

    expect((await example.place.run("apply", shop)).code).toBe(0);
    await paged(pager, { alert, status: "resolved", zone: shop });
    expect(new Set(pagesAt(pager).map((each) => each.alert))).toEqual(new Set([alert]));
  });

  it("page when the daemon is gone", async () => {
    await using example = await observedExample();
    await using daemon = await startDaemon(`${example.place.directory}/observe`);
    await using pager = await startJsonSink();
    await using _monitoring = await startMonitoring(example.place.directory, daemon.address, pager);
    await daemon.end("SIGKILL");
    await paged(pager, { alert: "ZonewardenDown", status: "firing", severity: "critical" });
  });

  it("take every rule and every panel as they stand", async ({ expect }) => {
    await using example = await observedExample();
    await using daemon = await startDaemon(`${example.place.directory}/observe`);
    await using pager = await startJsonSink();
    await using monitoring = await startMonitoring(example.place.directory, daemon.address, pager);
    const rules = await eventually("all rules are evaluated", async () => {
      const data = await monitoring.ask("rules");
      const groups = isJsonObject(data) ? objectsIn(data["groups"]) : [];
      const found = groups.flatMap((group) => objectsIn(group["rules"]));
      return found.every((rule) => textAt(rule, "health") !== "unknown") ? found : undefined;
    });
    expect(rules).toHaveLength(rulesIn(readRules()).length);
    expect(rules.filter((rule) => textAt(rule, "health") !== "ok")).toEqual([]);
    for (const { dashboard } of dashboards) {
      for (const expr of expressionsOf(dashboard)) {
        const concrete = expr
          .replaceAll(/\$__(rate_)?interval|\$__range/g, "1m")
          .replaceAll("$zone", shop)
          .replaceAll(/\$\w+/g, ".*");
        await monitoring.ask(`query?query=${encodeURIComponent(concrete)}`);
      }
    }
  });
});
