import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";

import { stringify } from "yaml";

import { type JsonObject, isJsonObject } from "../../src/syntax/json.ts";
import { objectAt, objectsIn, ruleFile, textAt } from "../deploy/rules.ts";
import type { JsonSink } from "../support/http-server.ts";
import { type Running, eventually, freePort, startProgram } from "../support/processes.ts";

/** A message that reached the person on call. */
export interface Page {
  readonly status: "firing" | "resolved";
  readonly alert: string;
  readonly severity: string;
  /** "" where the alert is of no zone. */
  readonly zone: string;
  readonly summary: string;
}

/** Prometheus with our rules, and an Alertmanager that pages. */
export interface Monitoring extends AsyncDisposable {
  /** The `data` of an answer of Prometheus's own interface. */
  ask(question: string): Promise<unknown>;
}

/** The pages that a pager got so far. */
export function pagesAt({ objects }: JsonSink): readonly Page[] {
  return objects.flatMap(pagesIn);
}

function pagesIn(body: JsonObject): readonly Page[] {
  return objectsIn(body["alerts"]).map((alert) => {
    const labels = objectAt(alert, "labels");
    return {
      status: textAt(alert, "status") === "resolved" ? "resolved" : "firing",
      alert: textAt(labels, "alertname"),
      severity: textAt(labels, "severity"),
      zone: textAt(labels, "zone"),
      summary: textAt(objectAt(alert, "annotations"), "summary"),
    };
  });
}

/** Starts Prometheus on a daemon, and Alertmanager on a pager, both with their data in `directory`. */
export async function startMonitoring(
  directory: string,
  target: string,
  pager: JsonSink,
): Promise<Monitoring> {
  const [prometheusPort, alertmanagerPort] = [await freePort(), await freePort()];
  await write("alertmanager.yaml", {
    route: { receiver: "pager", group_wait: "0s", group_interval: "1s", repeat_interval: "1h" },
    receivers: [{ name: "pager", webhook_configs: [{ url: pager.url, send_resolved: true }] }],
  });
  await write("prometheus.yaml", {
    global: { scrape_interval: "500ms", scrape_timeout: "500ms", evaluation_interval: "500ms" },
    rule_files: ["rules.yaml"],
    scrape_configs: [
      { job_name: "zonewarden", static_configs: [{ targets: [new URL(target).host] }] },
    ],
    alerting: { alertmanagers: [{ static_configs: [{ targets: [loopback(alertmanagerPort)] }] }] },
  });
  await writeFile(path.join(directory, "rules.yaml"), hurriedRules());
  const alertmanager = startProgram(
    "prometheus-alertmanager",
    [
      "--config.file=alertmanager.yaml",
      "--storage.path=alertmanager",
      `--web.listen-address=${loopback(alertmanagerPort)}`,
      "--cluster.listen-address=",
    ],
    { cwd: directory },
  );
  const prometheus = startProgram(
    "prometheus",
    [
      "--config.file=prometheus.yaml",
      "--storage.tsdb.path=prometheus",
      `--web.listen-address=${loopback(prometheusPort)}`,
      "--rules.alert.resend-delay=1s",
    ],
    { cwd: directory },
  );
  await isReady(`http://${loopback(alertmanagerPort)}`, alertmanager);
  await isReady(`http://${loopback(prometheusPort)}`, prometheus);
  return {
    ask: async (question) => {
      const response = await fetch(`http://${loopback(prometheusPort)}/api/v1/${question}`);
      const body: unknown = await response.json();
      if (isJsonObject(body) && body["status"] === "success") return body["data"];
      throw new Error(`${question}: ${JSON.stringify(body)}`);
    },
    [Symbol.asyncDispose]: async () => {
      await prometheus[Symbol.asyncDispose]();
      await alertmanager[Symbol.asyncDispose]();
    },
  };

  async function write(file: string, value: unknown): Promise<void> {
    await writeFile(path.join(directory, file), stringify(value));
  }
}

function loopback(port: number): string {
  return `127.0.0.1:${port}`;
}

/** The rules as they stand, but with seconds for minutes where they wait. */
function hurriedRules(): string {
  return readFileSync(ruleFile, "utf8")
    .replaceAll(/^(\s+(?:keep_firing_)?for: \d+)m$/gm, "$1s")
    .replaceAll(/^(\s+(?:keep_firing_)?for: \d+)h$/gm, "$1m");
}

function isReady(address: string, program: Running): Promise<true> {
  return eventually(`${address} is ready: ${program.output()}`, async () => {
    try {
      return (await fetch(`${address}/-/ready`)).ok ? true : undefined;
    } catch {
      return undefined;
    }
  });
}
