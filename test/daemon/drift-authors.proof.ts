import { describe, it } from "vitest";

import { coerceObjects, type JsonObject } from "../../src/syntax/json.ts";
import { SimulatedClock } from "../support/clock.ts";
import type { Started } from "../support/command-line.ts";
import { control, type Example, exampleWithEmulator } from "../support/example.ts";
import { startJsonSink } from "../support/http-server.ts";
import { logLines, logged } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { isEveryZoneRun, jsonFrom, stop, textFrom } from "../support/running.ts";

const [blog, shop] = ["blog.example.com", "shop.example.com"] as const;
const brand = "www.brand.example";
const alice = "alice@example.com";

const twoPhases = `zones:
  - name: ${brand}
    custom_rules:
      rules:
        - key: monitoring
          expression: ip.src eq 198.51.100.7
          action: skip
          skip: { phases: [http_ratelimit] }
        - { key: admin, expression: 'http.request.uri.path eq "/admin"', action: block }
        - { key: scrapers, expression: 'http.user_agent contains "scraper"', action: js_challenge }
    rate_limiting_rules:
      rules:
        - key: login
          expression: http.request.uri.path eq "/login"
          action: block
          ratelimit: &limit
            characteristics: [cf.colo.id, ip.src]
            period: 60
            requests_per_period: 5
            mitigation_timeout: 600
        - key: search
          expression: http.request.uri.path eq "/search"
          action: block
          ratelimit: *limit
`;

/** A daemon whose first sweep has ended, on a clock that the test moves. */
class Followed implements AsyncDisposable {
  readonly example: Example;
  readonly daemon: Started;
  readonly #clock: SimulatedClock;
  #linesBefore = 0;

  private constructor(example: Example, daemon: Started, clock: SimulatedClock) {
    this.example = example;
    this.daemon = daemon;
    this.#clock = clock;
  }

  /** @param sites what `zones/sites.yaml` declares instead of the example's. */
  static async start(actors = "full", more = "", sites?: string): Promise<Followed> {
    const clock = new SimulatedClock(new Date());
    const config = `schedule: { cron: "0 0 1 * *" }
audit: { enabled: true, every: 60s, actors: ${actors} }
store: { path: state }
${more}`;
    const example = await exampleWithEmulator({ config, ports: { clock } });
    if (sites !== undefined) await example.place.write("zones/sites.yaml", sites);
    const daemon = example.place.start("run");
    const followed = new Followed(example, daemon, clock);
    await logged(daemon, "audit log followed");
    await followed.until(
      "the first sweep",
      async () => (await isEveryZoneRun(daemon)) || undefined,
    );
    return followed;
  }

  /** Edits zones in the dashboard, and waits for the next read of the log. */
  async edit(...bodies: readonly JsonObject[]): Promise<void> {
    this.#linesBefore = logLines(this.daemon).length;
    for (const body of bodies) await control(this.example, "edit", { actor: alice, ...body });
    await this.#clock.advance(60_000);
  }

  async until<T>(what: string, found: () => Promise<T | undefined> | T | undefined): Promise<T> {
    return eventually(what, async () => {
      await this.#clock.advance(10);
      return found();
    });
  }

  /** The line of a run that the last edit woke. */
  async line(msg: string, zone: string): Promise<JsonObject> {
    return this.until(`${msg} ${zone}`, () =>
      logLines(this.daemon)
        .slice(this.#linesBefore)
        .find(
          (line) => line["msg"] === msg && line["zone"] === zone && line["trigger"] === "audit",
        ),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await stop(this.daemon);
    await this.example[Symbol.asyncDispose]();
  }
}

describe("the author of drift", () => {
  it("is in the log, the history, the pages and the API", async ({ expect }) => {
    await using at = await Followed.start();
    await at.edit({ zone: blog, settings: { enabled: false } });
    expect(await at.line("plan applied", blog)).toMatchObject({
      cause: "drift",
      changed_by: `${alice} in the dashboard`,
    });
    const [write] = logLines(at.daemon).filter(
      ({ msg, zone, trigger }) => msg === "write done" && zone === blog && trigger === "audit",
    );
    const author = {
      kind: "person",
      name: alice,
      context: "dash",
      method: "PUT",
      certain: true,
      fields: ["value"],
    };
    expect(write).toMatchObject({ changes: [{ authors: [author] }] });

    const history = await jsonFrom(at.daemon, `api/v1/zones/${blog}/history`);
    const last = coerceObjects(history["entries"]).at(-1);
    expect(last).toMatchObject({ changes: [{ key: "setting/enabled", authors: [author] }] });
    expect(await textFrom(at.daemon, `zones/${blog}`)).toContain(
      `changed by ${alice} in the dashboard`,
    );
    const fleet = await textFrom(at.daemon, "");
    expect(fleet).toContain("Who changes zones by hand");
    expect(fleet).toContain(`${alice} in the dashboard`);
    const metrics = await textFrom(at.daemon, "metrics");
    expect(metrics).toContain('zonewarden_drift_authors_total{context="dash"} 1');
    expect(metrics).not.toContain("alice");
    const printed = await at.example.place.run("history", blog);
    expect(printed.stdout).toMatch(
      new RegExp(`changed by ${alice} in the dashboard, at 20\\d\\d-`),
    );
  });

  it("is found of policies and rules that were changed, created and deleted", async ({
    expect,
  }) => {
    await using at = await Followed.start();
    await at.edit({ zone: shop, rule: "zonewarden:owasp", set: { paranoia_level: 1 } });
    expect(await at.line("plan applied", shop)).toMatchObject({
      changed_by: `${alice} in the dashboard`,
    });
    for (const body of [
      { policy: "zonewarden:checkout", delete: true },
      { policy: "zonewarden:everywhere", set: { enabled: false } },
    ]) {
      await at.edit({ zone: shop, actor: "bob@example.com", ...body });
      expect(await at.line("plan applied", shop)).toMatchObject({
        changed_by: "bob@example.com in the dashboard",
      });
    }
  });

  it.for([
    {
      what: "a custom rule is changed",
      edit: { rule: "zonewarden:monitoring", set: { expression: "ip.src eq 198.51.100.8" } },
      drift: "custom_rule/monitoring expression",
      who: `${alice} in the dashboard`,
    },
    {
      what: "a custom rule is deleted, which we have just created",
      edit: { rule: "zonewarden:admin", delete: true },
      drift: "custom_rule/admin deleted",
      who: `${alice} in the dashboard`,
    },
    {
      what: "a custom rule is moved",
      edit: { rule: "zonewarden:scrapers", set: { position: { before: "" } } },
      drift: "custom_rule/scrapers position",
      who: `possibly ${alice} in the dashboard`,
    },
    {
      what: "a rate limit is changed",
      edit: {
        rule: "zonewarden:login",
        set: {
          ratelimit: {
            characteristics: ["ip.src", "cf.colo.id"],
            period: 60,
            requests_per_period: 500,
            mitigation_timeout: 600,
          },
        },
      },
      drift: "rate_limiting_rule/login ratelimit.requests_per_period 5 → 500",
      who: `${alice} in the dashboard`,
    },
    {
      what: "a rate limit is deleted",
      edit: { rule: "zonewarden:search", delete: true },
      drift: "rate_limiting_rule/search deleted",
      who: `${alice} in the dashboard`,
    },
    {
      what: "the whole list of rate limits is deleted",
      edit: { ruleset: "http_ratelimit", delete: true },
      drift: "rate_limiting_rule/login deleted, rate_limiting_rule/search deleted",
      who: `possibly ${alice} in the dashboard`,
    },
  ])(
    "is found at once where $what, beside edits of another list",
    async ({ edit, drift, who }, { expect }) => {
      await using at = await Followed.start("full", "", twoPhases);
      const phase = drift.startsWith("custom") ? "http_ratelimit" : "http_request_firewall_custom";
      const bob = { zone: brand, actor: "bob@example.com", ruleset: phase };
      const rule = {
        action: "block",
        expression: "ssl",
        ratelimit: {
          characteristics: ["cf.colo.id", "ip.src"],
          period: 60,
          requests_per_period: 9,
        },
      };
      const { ratelimit: _, ...custom } = rule;
      await at.edit(
        { ...bob, rule: phase === "http_ratelimit" ? rule : custom },
        { zone: brand, ...edit },
      );
      const line = await at.line("plan applied", brand);
      expect(line["drift"]).toContain(drift);
      expect(line["changed_by"]).toBe(who);
    },
  );

  it("is named by the hold of a field that somebody changes again and again, and masked in chats", async ({
    expect,
  }) => {
    await using sink = await startJsonSink();
    const sinks = `notifications: [{ name: chat, type: teams, url: "${sink.url}", severity: error }]`;
    await using at = await Followed.start("full", sinks);
    for (const msg of ["plan applied", "plan applied", "plan applied", "plan held"]) {
      await at.edit({ zone: blog, rule: "owasp", set: { enabled: false } });
      const line = await at.line(msg, blog);
      expect(line["changed_by"]).toBe(`${alice} in the dashboard`);
    }
    const held = await at.line("plan held", blog);
    expect(JSON.stringify(held["holds"])).toContain(
      `changed back each time: the other writer is ${alice} in the dashboard.`,
    );
    const messages = await at.until("the message about the hold", () => {
      const found = sink.objects.map((each) => JSON.stringify(each));
      return found.some((each) => each.includes("the other writer")) ? found : undefined;
    });
    expect(messages.join(" ")).toContain("the other writer is a…@example.com in the dashboard");
    expect(messages.join(" ")).not.toContain("alice");
  });

  it("is known after a restart, as long as the drift is the same", async ({ expect }) => {
    const observed = `zones: [{ name: ${blog}, mode: observe, profiles: [baseline] }]`;
    await using at = await Followed.start("full", "", observed);
    await at.edit({ zone: blog, settings: { enabled: false } });
    expect(await at.line("drift detected", blog)).toMatchObject({
      changed_by: `${alice} in the dashboard`,
    });
    await stop(at.daemon);
    const again = at.example.place.start("run");
    expect(await logged(again, "drift detected", { zone: blog })).toMatchObject({
      changed_by: `${alice} in the dashboard`,
    });
    await stop(again);
  });

  it("is nobody where the entry is lost", async ({ expect }) => {
    await using at = await Followed.start();
    await control(at.example, "faults", { fault: "audit_lost", count: 1 });
    await at.edit({ zone: blog, settings: { enabled: false } });
    await at.edit({
      zone: blog,
      actor: "bob@example.com",
      settings: { use_connection_url_path: true },
    });
    const line = await at.line("plan applied", blog);
    expect(JSON.stringify(line)).not.toContain("alice");
    expect(line["changed_by"]).not.toBe(`${alice} in the dashboard`);
  });

  it.for([
    { actors: "full", chat: "a…@example.com", log: alice },
    { actors: "masked", chat: "a…@example.com", log: "a…@example.com" },
    { actors: "none", chat: "a person", log: "a person" },
  ])(
    "is written as audit.actors: $actors says, and masked in chats",
    async ({ actors, chat, log }, { expect }) => {
      await using sink = await startJsonSink();
      const sinks = `notifications:
  - { name: chat, type: slack, url: "${sink.url}" }
  - { name: pipeline, type: webhook, url: "${sink.url}" }`;
      await using at = await Followed.start(actors, sinks);
      await at.edit({ zone: blog, settings: { enabled: false } });
      expect(await at.line("plan applied", blog)).toMatchObject({
        changed_by: `${log} in the dashboard`,
      });
      const messages = await at.until("both messages", () => {
        const found = sink.objects.map((each) => JSON.stringify(each));
        const about = found.filter((each) => each.includes("changed by"));
        return about.length === 2 ? about : undefined;
      });
      const inChat = messages.filter((each) => each.includes("attachments"));
      expect(inChat).toEqual([expect.stringContaining(`changed by ${chat} in the dashboard`)]);
      expect(messages.filter((each) => !inChat.includes(each))).toEqual([
        expect.stringContaining(`changed by ${log} in the dashboard`),
      ]);
      if (actors !== "full") {
        expect(await textFrom(at.daemon, `zones/${blog}`)).not.toContain("alice");
      }
    },
  );
});
