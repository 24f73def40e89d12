/** A module of `src`: what it is for, and what it may import. */
export interface Module {
  /** Its purpose, as docs/architecture.md shows it. */
  readonly purpose: string;
  /** Other modules that it may import. */
  readonly imports: readonly string[];
  /** npm packages that it may import. */
  readonly packages: readonly string[];
}

/**
 * The whole architecture in one place: which module may import which, and which package is used where. A module imports
 * only modules above it.
 */
export const moduleTable: Readonly<Record<string, Module>> = {
  syntax: {
    purpose:
      "Content security policies, filter expressions and patterns; what every module needs of JSON and text.",
    imports: [],
    packages: [],
  },
  zone: {
    purpose:
      "The nouns that all share: zone, resource, phase, mark, write, diagnostic codes, service error, ports.",
    imports: ["syntax"],
    packages: [],
  },
  plan: {
    purpose:
      "Desired and live state in; changes, writes, effects and holds out. Policies, rules and their actions.",
    imports: ["zone", "syntax"],
    packages: [],
  },
  impact: {
    purpose: "What a plan does to the inventory and to managed rules; suggested policies.",
    imports: ["zone", "plan", "syntax"],
    packages: [],
  },
  state: {
    purpose: "What is known of runs, zones, the fleet and the files.",
    imports: ["zone", "plan", "impact", "syntax"],
    packages: [],
  },
  render: {
    purpose: "Plans, diagnostics and inventories as text, JSON, Markdown, CSV and SARIF.",
    imports: ["zone", "plan", "impact", "state", "syntax"],
    packages: [],
  },
  history: {
    purpose: "What happened to each zone: entries, timeline, the chained history file, its check.",
    imports: ["zone", "plan", "state", "render", "syntax"],
    packages: [],
  },
  evidence: {
    purpose:
      "The evidence of a period for an assessor: its tables, and them as HTML, CSV and JSON.",
    imports: ["zone", "state", "render", "history", "syntax"],
    packages: [],
  },
  audit: {
    purpose:
      "The audit log, whatever its source: feed, authors of drift, blame, uses of our tokens elsewhere.",
    imports: ["zone", "plan", "state", "render", "history", "syntax"],
    packages: [],
  },
  measure: {
    purpose:
      "What policies and rules did: queries, counts by hour, records of days, the collector.",
    imports: ["zone", "plan", "state", "syntax"],
    packages: [],
  },
  desired: {
    purpose: "Files in, desired state out: find, parse, validate, merge, select, watch, import.",
    imports: ["zone", "syntax"],
    packages: ["yaml", "ajv", "chokidar", "re2js"],
  },
  api: {
    purpose: "The client of the service: credentials, budget, retries, reads and writes.",
    imports: ["zone", "plan", "syntax"],
    packages: ["undici"],
  },
  reconcile: {
    purpose: "The loop: active revision, queue of zones, runs, write gate, schedule.",
    imports: ["zone", "plan", "impact", "state", "audit", "measure", "syntax"],
    packages: ["node-cron", "tinyqueue"],
  },
  telemetry: {
    purpose: "Log lines and metrics.",
    imports: ["zone", "plan", "state", "render", "history", "measure", "syntax"],
    packages: ["pino", "prom-client"],
  },
  cluster: {
    purpose: "The election in Kubernetes: a Lease, its fence, the client of the API server.",
    imports: ["syntax", "zone"],
    packages: ["undici", "yaml"],
  },
  memory: {
    purpose:
      "What survives restarts: each key with its codec, and the stores: a directory or a PostgreSQL database.",
    imports: [
      "zone",
      "plan",
      "state",
      "render",
      "history",
      "audit",
      "measure",
      "desired",
      "reconcile",
      "telemetry",
      "cluster",
      "syntax",
    ],
    packages: ["pg"],
  },
  web: {
    purpose: "The HTTP server: probes, metrics, JSON API, status page, reconcile endpoint.",
    imports: ["zone", "plan", "state", "render", "history", "measure", "syntax"],
    packages: ["hono", "@hono/node-server"],
  },
  notify: {
    purpose: "Notifications and their targets: webhooks, Slack, Teams, Events of Kubernetes.",
    imports: ["zone", "plan", "state", "render", "cluster", "syntax"],
    packages: ["undici"],
  },
  emulator: {
    purpose: "The service in this process. It shares only the wire format with the client.",
    imports: ["api", "syntax"],
    packages: ["hono", "@hono/node-server", "yaml", "ajv", "graphql"],
  },
  host: {
    purpose: "The process: files, Git, clock, signals, secrets, and the connection to the service.",
    imports: [
      "syntax",
      "zone",
      "desired",
      "api",
      "reconcile",
      "render",
      "history",
      "telemetry",
      "memory",
    ],
    packages: [],
  },
  daemon: {
    purpose:
      "What `zonewarden run` keeps running: it connects the other modules, reloads and reports.",
    imports: [
      "syntax",
      "zone",
      "plan",
      "impact",
      "state",
      "render",
      "history",
      "audit",
      "measure",
      "desired",
      "api",
      "reconcile",
      "telemetry",
      "web",
      "notify",
      "memory",
      "cluster",
      "host",
    ],
    packages: [],
  },
  cli: {
    purpose: "The command line: one file a command, and what commands share.",
    imports: [
      "syntax",
      "zone",
      "plan",
      "impact",
      "state",
      "render",
      "history",
      "audit",
      "evidence",
      "measure",
      "desired",
      "api",
      "reconcile",
      "telemetry",
      "web",
      "notify",
      "memory",
      "cluster",
      "emulator",
      "host",
      "daemon",
    ],
    packages: ["commander", "string-width"],
  },
  "main.ts": {
    purpose: "Arguments in, exit code out.",
    imports: ["cli", "host"],
    packages: [],
  },
};

/** Modules that compute and nothing else: no clock, no random numbers, no file, no socket. */
const pure = ["syntax", "zone", "plan", "impact", "state", "render", "evidence"];

/** Whether a module computes and nothing else. */
export function isPure(module: string): boolean {
  return pure.includes(module);
}
