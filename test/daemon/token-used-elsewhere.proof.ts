import { describe, it } from "vitest";

import { coerceObject, coerceObjects, coerceText, type JsonObject } from "../../src/syntax/json.ts";
import { rayId } from "../../src/zone/audit-entry.ts";
import { SimulatedClock } from "../support/clock.ts";
import type { Started } from "../support/command-line.ts";
import { control, type Example, exampleWithEmulator } from "../support/example.ts";
import { startJsonSink } from "../support/http-server.ts";
import { logLines, logged } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { isEveryZoneRun, jsonFrom, stop, textFrom } from "../support/running.ts";

const [blog, shop] = ["blog.example.com", "shop.example.com"] as const;

/** A daemon that follows the audit log, and another process that has its token. */
class Shared implements AsyncDisposable {
  readonly example: Example;
  readonly clock: SimulatedClock;
  daemon: Started;

  private constructor(example: Example, daemon: Started, clock: SimulatedClock) {
    this.example = example;
    this.daemon = daemon;
    this.clock = clock;
  }

  static async start(more = ""): Promise<Shared> {
    const clock = new SimulatedClock(new Date());
    const config = `schedule: { cron: "0 0 1 * *" }
audit: { enabled: true, every: 60s }
store: { path: state }
${more}`;
    const example = await exampleWithEmulator({ config, ports: { clock } });
    const shared = new Shared(example, example.place.start("run"), clock);
    await shared.settled();
    return shared;
  }

  /** Waits until the daemon has read all zones and the log. */
  async settled(): Promise<void> {
    await logged(this.daemon, "audit log followed");
    await this.until(
      "the first sweep",
      async () => (await isEveryZoneRun(this.daemon)) || undefined,
    );
  }

  /** Writes the settings of a zone with the token of the daemon, and waits for the next read of the log. */
  async write(zone: string, settings: JsonObject): Promise<void> {
    await this.pass(60_000);
    await this.put(zone, settings);
    await this.pass(60_000);
  }

  /** Writes the settings of a zone with the token of the daemon; gives the id of the request. */
  async put(zone: string, settings: JsonObject): Promise<string> {
    const { baseUrl } = this.example.emulator;
    const authorization = "Bearer emulator-token";
    const listed = await fetch(`${baseUrl}/zones?name=${zone}`, { headers: { authorization } });
    const [found] = coerceObjects(coerceObject(await listed.json())["result"]);
    const answer = await fetch(`${baseUrl}/zones/${coerceText(found?.["id"])}/page_shield`, {
      method: "PUT",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify(settings),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return rayId(answer.headers.get("cf-ray") ?? "");
  }

  /** Lets time pass for the daemon and the service. */
  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
  }

  async until<T>(what: string, found: () => Promise<T | undefined> | T | undefined): Promise<T> {
    return eventually(what, async () => {
      await this.clock.advance(10);
      return found();
    });
  }

  async line(msg: string, zone: string): Promise<JsonObject> {
    return this.until(`${msg} ${zone}`, () =>
      logLines(this.daemon).find((line) => line["msg"] === msg && line["zone"] === zone),
    );
  }

  /** The log has a line about a run that the audit log caused. */
  async ran(msg: string, zone: string): Promise<void> {
    await this.until(`${msg} ${zone}`, () =>
      logLines(this.daemon).find(
        (line) => line["msg"] === msg && line["zone"] === zone && line["trigger"] === "audit",
      ),
    );
  }

  async restart(): Promise<void> {
    await this.stop();
    this.daemon = this.example.place.start("run");
    await this.settled();
  }

  async stop(): Promise<void> {
    await stop(this.daemon);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.example[Symbol.asyncDispose]();
  }
}

describe("a write with the token of the daemon that the daemon did not send", () => {
  it("is grave where the zone differs: log, history, page, API, metric, notification", async ({
    expect,
  }) => {
    await using sink = await startJsonSink();
    const sinks = `notifications: [{ name: chat, type: webhook, url: "${sink.url}" }]`;
    await using at = await Shared.start(sinks);
    await at.write(blog, { enabled: false });
    const line = await at.line("token used elsewhere", blog);
    expect(line).toMatchObject({ level: "warn", method: "PUT" });
    expect(line["why"]).toContain("give each its own");
    await at.ran("plan applied", blog);

    const history = await jsonFrom(at.daemon, `api/v1/zones/${blog}/history`);
    const last = coerceObjects(history["entries"]).at(-1);
    expect(last).toMatchObject({ token_uses: [{ method: "PUT", zone: blog, ray: line["ray"] }] });
    const [author] = coerceObjects(coerceObjects(last?.["changes"])[0]?.["authors"]);
    expect(author).toMatchObject({ kind: "token", method: "PUT" });
    const printed = await at.example.place.run("history", blog);
    expect(printed.stdout).toContain("was used elsewhere: PUT /zones/");
    const says = "Our token is used elsewhere.";
    expect(await textFrom(at.daemon, "")).toContain(says);
    expect(await textFrom(at.daemon, `zones/${blog}`)).toContain(says);
    expect(await textFrom(at.daemon, `zones/${shop}`)).not.toContain(says);
    const fleet = await jsonFrom(at.daemon, "api/v1/fleet");
    expect(fleet["audit"]).toMatchObject({
      entries: { elsewhere: 0, elsewhere_drift: 1 },
      token_uses: [{ zone: blog, drift: true }],
    });
    const metrics = await textFrom(at.daemon, "metrics");
    expect(metrics).toContain('zonewarden_audit_entries_total{result="elsewhere_drift"} 1');
    const sent = await at.until("the notification", () =>
      sink.objects.find((each) => each["reason"] === "TokenUsedElsewhere"),
    );
    expect(sent).toMatchObject({ severity: "error" });
  });

  it("is a notice where it wrote what is declared, as apply of a pipeline does", async ({
    expect,
  }) => {
    await using sink = await startJsonSink();
    const sinks = `notifications: [{ name: chat, type: webhook, url: "${sink.url}" }]`;
    await using at = await Shared.start(sinks);
    await at.write(blog, { enabled: true });
    await at.line("token used elsewhere", blog);
    const sent = await at.until("the notification", () =>
      sink.objects.find((each) => each["reason"] === "TokenUsedElsewhere"),
    );
    expect(sent).toMatchObject({ severity: "info" });
    const metrics = await textFrom(at.daemon, "metrics");
    expect(metrics).toContain('zonewarden_audit_entries_total{result="elsewhere_drift"} 0');
    expect(metrics).toContain('zonewarden_audit_entries_total{result="elsewhere"} 1');
    const history = await jsonFrom(at.daemon, `api/v1/zones/${blog}/history`);
    expect(coerceObjects(history["entries"]).at(-1)).toMatchObject({
      changes: [],
      token_uses: [{ zone: blog }],
    });
  });

  it("is none that the process before sent, also after lost answers", async ({ expect }) => {
    await using at = await Shared.start();
    await control(at.example, "edit", { zone: shop, settings: { enabled: false } });
    await control(at.example, "faults", { fault: "lost_answer", method: "PUT", count: 1 });
    await at.pass(60_000);
    await at.ran("plan applied", shop);
    await at.write(blog, { enabled: false });
    await at.ran("plan applied", blog);
    await at.restart();
    const uses = (): number =>
      logLines(at.daemon).filter(({ msg }) => msg === "token used elsewhere").length;
    await at.write(shop, { enabled: false });
    await at.line("token used elsewhere", shop);
    expect(uses()).toBe(1);
  });

  it("is known by the stored ids, where its entry and that of the same request come after a restart", async ({
    expect,
  }) => {
    await using at = await Shared.start();
    await at.pass(60_000);
    const late = { fault: "audit_late", seconds: 300, credential: "everything" };
    await control(at.example, "faults", { ...late, method: "PUT", count: 2 });
    await control(at.example, "edit", { zone: shop, settings: { enabled: false } });
    await at.pass(30_000);
    const ray = await at.put(shop, { enabled: false });
    await at.pass(30_000);
    await at.ran("plan applied", shop);
    await at.pass(60_000);
    await at.restart();
    const told = (): readonly unknown[] =>
      logLines(at.daemon)
        .filter(({ msg }) => msg === "token used elsewhere")
        .map((line) => rayId(coerceText(line["ray"])));
    expect(told()).toEqual([]);
    for (let minute = 0; minute < 6; minute += 1) await at.pass(60_000);
    await at.line("token used elsewhere", shop);
    expect(told()).toEqual([ray]);

    await at.write(blog, { enabled: true });
    await at.line("token used elsewhere", blog);
    await at.restart();
    for (let minute = 0; minute < 2; minute += 1) await at.pass(60_000);
    expect(told()).toEqual([]);
  });
});
