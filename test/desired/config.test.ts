import path from "node:path";

import { describe, it } from "vitest";

import { loadConfig } from "../../src/desired/config/load-config.ts";
import { nodeFiles } from "../../src/desired/file-system.ts";
import { cronError } from "../../src/reconcile/schedule/schedule.ts";
import { renderDiagnostics } from "../../src/render/diagnostic-formats.ts";
import { configFrom, loadedFrom } from "../support/config-from.ts";
import { memoryFiles } from "../support/memory-files.ts";
import { problemLine } from "../support/problem-line.ts";

const inEtc = "/etc/zonewarden/zonewarden.yaml";
const database = "store: { postgres: { url_env: DATABASE_URL } }";
const noHttp = "http would send the token";

describe("limits.max_weakened", () => {
  it.for([
    { text: "0", limit: { zones: 0, share: 0 } },
    { text: "1", limit: { zones: 1, share: 0 } },
    { text: "25", limit: { zones: 25, share: 0 } },
    { text: "0.02", limit: { zones: 0, share: 0.02 } },
    { text: "2%", limit: { zones: 0, share: 0.02 } },
    { text: "100%", limit: { zones: 0, share: 1 } },
  ])("of $text is $limit", async ({ text, limit }, { expect }) => {
    const { limits } = await configFrom(`mode: enforce\nlimits: { max_weakened: ${text} }`);
    expect(limits.maxWeakened).toEqual(limit);
  });

  it.for(["-1", "101%", "many"])("of %s is an error", async (text, { expect }) => {
    const { config } = await loadedFrom(`mode: enforce\nlimits: { max_weakened: ${text} }`);
    expect(config).toBeUndefined();
  });
});

describe("the configuration", () => {
  it("requires only a mode", async ({ expect }) => {
    expect(await configFrom("mode: observe", inEtc)).toEqual({
      mode: "observe",
      api: {
        baseUrl: "https://api.cloudflare.com/client/v4",
        emulator: undefined,
        timeoutMs: 30_000,
        concurrency: 8,
        rulesetVersions: "read",
      },
      credentials: [
        { name: "default", source: { env: "ZONEWARDEN_API_TOKEN" }, accounts: ["*"], zones: ["*"] },
      ],
      desired: { path: "/etc/zonewarden/zones", owner: "zonewarden", adopt: "explicit" },
      canaries: [],
      lint: [],
      schedule: { cron: ["*/15 * * * *"], timezone: "Etc/UTC", onChange: true, debounceMs: 500 },
      limits: {
        maxDeleteShare: 0.3,
        maxUpdateShare: 0.6,
        minCompared: 3,
        maxFleetShare: 0.3,
        minFleet: 10,
        weakening: "allow",
        quota: {},
        contendedRounds: 3,
        contendedWindowMs: 3_600_000,
        accept: [],
      },
      budget: { requests: 1200, windowMs: 300_000, reserve: 0.2 },
      windows: [],
      server: {
        listen: { host: "127.0.0.1", port: 9464 },
        hosts: [],
        url: "",
        reconcileToken: undefined,
      },
      impact: { freshMs: 604_800_000, maliciousBelow: 50 },
      notifications: [],
      history: { maxAgeMs: 34_560_000_000, maxBytes: 67_108_864 },
      plan: { verifyKey: undefined },

      audit: { follow: undefined, actors: "full" },
      metrics: { zoneLabels: {} },
      log: { level: "info", format: undefined },
    });
  });

  it("names labels of zones as metrics allow it", async ({ expect }) => {
    const { metrics } = await configFrom(
      "{ mode: observe, metrics: { zone_labels: [team, cost-centre.1, 4th] } }",
    );
    expect(metrics.zoneLabels).toEqual({
      team: "label_team",
      "cost-centre.1": "label_cost_centre_1",
      "4th": "label_4th",
    });
  });

  it("has the default Lease in a cluster", async ({ expect }) => {
    expect(
      (await configFrom("{ mode: observe, cluster: {}, store: { postgres: { url_env: A } } }"))
        .cluster,
    ).toEqual({
      lease: "zonewarden",
      leaseDurationMs: 15_000,
      kubeconfig: undefined,
    });
  });

  it("resolves paths against its own directory, not the working directory", async ({ expect }) => {
    const text = `mode: enforce
api: { emulator: { seed: ../seed.yaml } }
desired: { path: all }
store: { path: state }
server: { reconcile_token_file: ask }
credentials: [{ name: a, token_file: secret/token }, { name: b, token_file: /run/token }, { name: c, token_env: T }]
`;
    const config = await configFrom(text, inEtc);
    expect(config.desired.path).toBe("/etc/zonewarden/all");
    expect(config.store).toEqual({ path: "/etc/zonewarden/state" });
    expect(config.server.reconcileToken).toEqual({ file: "/etc/zonewarden/ask" });
    expect(config.api.emulator?.seed).toBe("/etc/seed.yaml");
    expect(config.credentials.map(({ source }) => source)).toEqual([
      { file: "/etc/zonewarden/secret/token" },
      { file: "/run/token" },
      { env: "T" },
    ]);
  });

  it("runs the emulator without further keys", async ({ expect }) => {
    const { api } = await configFrom("mode: enforce\napi: { emulator: {} }");
    expect(api.emulator).toEqual({ seed: undefined, listen: { host: "127.0.0.1", port: 8787 } });
    expect(api.baseUrl).toBe("http://127.0.0.1:8787/client/v4");
  });

  it.for([
    { text: "500ms", ms: 500 },
    { text: "30s", ms: 30_000 },
    { text: "15m", ms: 900_000 },
    { text: "24h", ms: 86_400_000 },
  ])("reads $text", async ({ text, ms }, { expect }) => {
    const { schedule } = await configFrom(`mode: observe\nschedule: { debounce: ${text} }`);
    expect(schedule.debounceMs).toBe(ms);
  });

  it.for(["0.25", "25%"])("takes a share of %s", async (share, { expect }) => {
    const { limits } = await configFrom(`mode: observe\nlimits: { max_fleet_share: ${share} }`);
    expect(limits.maxFleetShare).toBe(0.25);
  });

  it.for([
    { address: "http://127.0.0.1:8787/client/v4/", yields: "http://127.0.0.1:8787/client/v4" },
    { address: "http://[::1]:1/x", yields: "http://[::1]:1/x" },
    { address: "http://localhost/x", yields: "http://localhost/x" },
    { address: "https://api.example/client/v4", yields: "https://api.example/client/v4" },
    { address: "http://emulator:8787/x", yields: "http://emulator:8787/x", http: true },
    {
      address: "http://emulator.edge.svc.cluster.local/x",
      yields: "http://emulator.edge.svc.cluster.local/x",
      http: true,
    },
  ])("reads $address", async ({ address, yields, http = false }, { expect }) => {
    const api = `api: { base_url: "${address}", allow_http: ${http} }`;
    expect((await configFrom(`mode: observe\n${api}`)).api.baseUrl).toBe(yields);
  });

  it.for([
    { line: "", maxAgeMs: undefined },
    { line: "store: { path: state }\nmeasurements: {}", maxAgeMs: 35 * 24 * 3_600_000 },
    {
      line: "store: { postgres: { url_env: A } }\nmeasurements: { max_age: 240h }",
      maxAgeMs: 10 * 24 * 3_600_000,
    },
  ])("keeps counts for $maxAgeMs ms with $line", async ({ line, maxAgeMs }, { expect }) => {
    const { measurements } = await configFrom(`mode: observe\n${line}\n`);
    expect(measurements?.maxAgeMs).toBe(maxAgeMs);
  });

  it.for([
    { line: "log: {}", says: '1:1: error: "mode" is missing; add it' },
    {
      line: "mode: enforce\naudit: { enabled: true, every: 14s }",
      says: "error: the audit log would be read too often; write a duration of at least 15s",
    },
    {
      line: "mode: enforce\naudit: { enabled: true, every: 5m, overlap: 4m }",
      says: "write a duration at least as long as audit.every",
    },
    { line: "mode: enforced", says: 'did you mean "enforce"?' },
    {
      line: 'api: { base_url: "http://api.example/" }',
      says: "http would send the token",
    },
    {
      line: 'server: { url: "https://zw.example.com/status" }',
      says: "the URL has more than a scheme and a host",
    },
    {
      line: 'server: { url: "https://zw.example.com:99999" }',
      says: "this is not a URL",
    },
    {
      line: 'api: { base_url: "ftp://api.example/" }',
      says: "neither https nor http",
    },
    {
      line: 'api: { base_url: "https://u:p@api.example/" }',
      says: "the URL has a user or password",
    },
    {
      line: 'api: { base_url: "https://api.example/?a" }',
      says: "the URL has a query or fragment",
    },
    { line: 'api: { base_url: "api.example" }', says: "this is not a URL" },
    {
      line: 'api: { base_url: "https://a.example", emulator: {} }',
      says: "exclude each other",
    },
    { line: 'schedule: { cron: "0 0 13 * 5" }', says: "BOTH_DAY_FIELDS" },
    {
      line: 'schedule: { cron: "99 99 * * *" }',
      says: '3:19: error: "99 99 * * *" is not a cron expression',
    },
    {
      line: 'schedule: { cron: ["* * * * *", "@daily * * * *"] }',
      says: '3:33: error: "@daily * * * *" is not a cron expression',
    },
    {
      line: 'windows: [{ name: a, type: freeze, duration: 1h, start: "0 25 * * *" }]',
      says: '3:57: error: "0 25 * * *" is not a cron expression',
    },
    {
      line: 'schedule: { cron: ["* * * * *", "* *"] }',
      says: "five fields, or six with seconds",
    },
    {
      line: "schedule: { timezone: Mars/Base }",
      says: '"Mars/Base" is not a time zone',
    },
    // The number in quotes would be refused as well.
    {
      line: "schedule: { debounce: 5 }",
      says: "a duration is a number with ms, s, m or h: 500ms, 30s, 15m, 24h",
    },
    {
      line: "server: { listen: 9464 }",
      says: "an address to listen on is host:port: 127.0.0.1:9464",
    },
    { line: "schedule: { debounce: 5 min }", says: "500ms, 30s, 15m, 24h" },
    { line: "api: { timeout: 0s }", says: "the duration must not be zero" },
    {
      line: "inventory: { enabled: true, every: 0s }",
      says: "the duration must not be zero",
    },
    { line: "limits: { max_delete_share: 30 }", says: "write a number up to 1" },
    { line: "server: { listen: '127.0.0.1:99999' }", says: "99999 is not a port" },
    { line: "server: { listen: '9464' }", says: "host:port" },
    {
      line: "server: { reconcile_token_file: a, reconcile_token_env: B }",
      says: "exclude each other",
    },
    {
      line: "notifications: [{ name: a, type: slack, url: 'http://hooks.example/' }]",
      says: "http would send messages",
    },
    { line: "notifications: [{ name: a, type: slack }]", says: '"url"' },
    {
      line: "metrics: { zone_labels: [team, cost-centre, cost.centre] }",
      says: 'another label is "label_cost_centre" in metrics too',
    },
    { line: "metrics: { zone_labels: [a, b, c, d] }", says: "more than 3 entries" },
    { line: "metrics: { zone_labels: [Team] }", says: "lower-case" },
    {
      line: "notifications: [{ name: a, type: slack, url_env: A, labels: Team=a }]",
      says: "this is no selector of labels; write labels like team=payments",
    },
    { line: "history: { max_size: 5MB }", says: "512KiB, 64MiB" },
    { line: "limits: { max_delete_share: 130% }", says: "0.3, 30%" },
    { line: "budget: { reserve: 100% }", says: "this reserves all requests" },
    { line: "credentials: []", says: "the list is empty" },
    {
      line: "credentials: [{ name: a }]",
      says: 'one of "token_file" and "token_env" is required',
    },
    {
      line: "windows: [{ name: a, type: freeze, start: 0 1 * * *, duration: 1h }, { name: b, type: freeze, start: 0 2 * * *, duration: 1h }, { name: a, type: allow, start: 0 3 * * *, duration: 1h }]",
      says: 'another window has the name "a"',
    },
    {
      line: "credentials: [{ name: a, token_env: A }, { name: a, token_env: B }]",
      says: 'another credential has the name "a"',
    },
    { line: "story: {}", says: `unknown key "story"` },
    { line: "mode: observe\n---\nmode: enforce", says: "the file has several documents" },
    { line: "mode: [", says: "YAML_SYNTAX" },
    {
      line: `cluster: { lease_duration: 5s }\n${database}`,
      says: "write a duration from 15s to 5m",
    },
    {
      line: `cluster: { lease_duration: 6m }\n${database}`,
      says: "write a duration from 15s to 5m",
    },
    {
      line: "cluster: {}\nstore: { path: state }",
      says: `"cluster" is set without "store.postgres"`,
    },
    { line: "store: {}", says: `one of "path" and "postgres" is required` },
    { line: "store: { path: a, postgres: { url_env: B } }", says: "exclude each other" },
    { line: "store: { postgres: { schema: b } }", says: `one of "url_file" and "url_env"` },
    {
      line: "store: { postgres: { url: postgres://a } }",
      says: "write url_file: FILE, or url_env:",
    },
    { line: "store: { postgres: { url_env: B, schema: B-1 } }", says: "lower-case letters" },
    { line: "store: { postgres: { url_env: postgres://a } }", says: "never the URL itself" },
    { line: "state: { path: a }", says: "write store: { path: DIRECTORY }" },
    { line: "history: { path: a }", says: "write store: { path: DIRECTORY }" },
    { line: "cluster: { shards: credential }", says: "shards" },
    { line: "cluster: { lease: Edge }", says: "a name has up to 52 lower-case letters" },
    { line: 'api: { base_url: "http://emulator:8787/client/v4" }', says: noHttp },
    { line: 'api: { allow_http: true, base_url: "http://api.example/" }', says: noHttp },
    { line: 'api: { allow_http: true, base_url: "http://10.0.0.1/" }', says: noHttp },
    { line: 'api: { allow_http: true, base_url: "http://emulator.edge/" }', says: noHttp },
    { line: 'api: { allow_http: true, base_url: "http://a.b.svc.example/" }', says: noHttp },
    { line: "measurements: {}", says: "set store.path or store.postgres" },
    { line: "measurements: { max_age: 1h }", says: "write a duration of at least 48h" },
    { line: "store: { path: a }\nmeasurements: { max_age: 24h }", says: "at least 48h" },
    { line: "store: { path: a }\nmeasurements: true", says: "expected a map, found true" },
  ])("rejects $line", async ({ line, says }, { expect }) => {
    const mode = /^(?:mode|log)/.test(line) ? "" : "mode: observe\n";
    const { config, diagnostics } = await loadedFrom(`# configuration\n${mode}${line}\n`);
    expect(config).toBe(undefined);
    expect(diagnostics.map((diagnostic) => problemLine(diagnostic, "")).join("\n")).toContain(says);
  });

  it("tells what the schema refuses together with all other errors", async ({ expect }) => {
    const { config, diagnostics } = await loadedFrom(`mode: observ
colour: red
api: { base_url: "http://a.example", timeout: 30 }
schedule: { cron: ["99 * * * *", 7, "0 5 * * *"], timezone: Mars/Base }
budget: { reserve: 100% }
notifications: [{ name: n, type: slack }, { name: n, type: teams, url: "http://a.example/" }]
lint: { NO_CODE: off }
windows:
  - { name: w, type: freeze, start: "0 25 * * *", duration: 5 min }
  - { name: w, type: frost, start: 0 1 * * *, duration: 0s, timezone: Moon/Sea }
  - { name: v, type: allow, duration: 1h, timezone: Mars/Base }
`);
    expect(config).toBeUndefined();
    expect(diagnostics.map((each) => `${each.place.line} ${each.path} ${each.code}`)).toEqual([
      "1 mode WRONG_VALUE",
      "2 colour UNKNOWN_KEY",
      "3 api.base_url WRONG_VALUE",
      "3 api.timeout WRONG_TYPE",
      "4 schedule.cron[0] WRONG_VALUE",
      "4 schedule.cron[1] WRONG_TYPE",
      "4 schedule.timezone WRONG_VALUE",
      "5 budget.reserve WRONG_VALUE",
      "6 notifications[0] MISSING_KEY",
      "6 notifications[1].name WRONG_VALUE",
      "6 notifications[1].url WRONG_VALUE",
      "7 lint.NO_CODE WRONG_VALUE",
      "9 windows[0].start WRONG_VALUE",
      "9 windows[0].duration WRONG_VALUE",
      "10 windows[1].name WRONG_VALUE",
      "10 windows[1].type WRONG_VALUE",
      "10 windows[1].duration WRONG_VALUE",
      "10 windows[1].timezone WRONG_VALUE",
      "11 windows[2] MISSING_KEY",
      "11 windows[2].timezone WRONG_VALUE",
    ]);
  });

  it.for([
    { text: "cluster: { lease: a }", isTold: true },
    { text: "cluster: { lease: a }\nlimits: { min_fleet: many }", isTold: true },
    { text: "cluster: { lease: a }\nstroe: { postgres: { url_env: A } }", isTold: false },
    { text: "cluster: { lease: a }\nstore: { postgre: { url_env: A } }", isTold: false },
    { text: "audit: { enabled: true, every: 10m, overlap: 1m }", isTold: true },
    {
      text: "audit: { enabled: true, every: 10m, overlap: 1m }\nlimits: { min_fleet: many }",
      isTold: true,
    },
    { text: "audit: { enabled: true, every: 10m, overlaps: 11m }", isTold: false },
  ])("compares values only where all are known: $text", async ({ text, isTold }, { expect }) => {
    const { config, diagnostics } = await loadedFrom(`mode: observe\n${text}\n`);
    expect(config).toBeUndefined();
    const told = diagnostics.map(({ message }) => message).join("\n");
    expect(/without "store.postgres"|overlap is shorter/.test(told)).toBe(isTold);
  });

  it("never shows a token that is written instead of a variable name", async ({ expect }) => {
    const token = "v1.0-secret-token";
    for (const line of [
      `token_env: ${token}`,
      `token: ${token}`,
      `token_env: [${token}]`,
      `token_env: "${token}`,
    ]) {
      const { diagnostics, sources } = await loadedFrom(
        `mode: observe\ncredentials: [{ name: a, ${line} }]`,
      );
      expect(diagnostics.length).toBeGreaterThan(0);
      const words = renderDiagnostics(diagnostics, sources, { directory: "", color: false });
      expect(words + JSON.stringify(diagnostics)).not.toContain("secret");
    }
  });

  it("that is missing is reported with its path and a remedy", async ({ expect }) => {
    const { diagnostics } = await loadConfig(
      "/none.yaml",
      { files: memoryFiles({}).port, cronError },
      new AbortController().signal,
    );
    expect(diagnostics.map((diagnostic) => problemLine(diagnostic, ""))).toEqual([
      "/none.yaml:1:1: error: the file cannot be read: it does not exist; create it (`mode: observe` is enough), or give its path with --config [FILE_UNREADABLE]",
    ]);
    expect((await loadedFrom("mode: observe")).diagnostics).toEqual([]);
  });

  it("of the example is valid", async ({ expect }) => {
    const file = path.resolve(import.meta.dirname, "../../config.example/zonewarden.yaml");
    const ports = { files: nodeFiles, cronError };
    const { diagnostics } = await loadConfig(file, ports, new AbortController().signal);
    expect(diagnostics).toEqual([]);
  });
});
