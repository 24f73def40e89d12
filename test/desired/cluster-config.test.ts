import { describe, it } from "vitest";

import { loadConfig, type LoadedConfig } from "../../src/desired/config/load-config.ts";
import { cronError } from "../../src/reconcile/schedule/schedule.ts";
import { memoryFiles } from "../support/memory-files.ts";
import { problemLine } from "../support/problem-line.ts";

function load(text: string): Promise<LoadedConfig> {
  const disk = memoryFiles({ "/etc/zonewarden/zonewarden.yaml": text });
  const signal = new AbortController().signal;
  return loadConfig("/etc/zonewarden/zonewarden.yaml", { files: disk.port, cronError }, signal);
}

const database = "store: { postgres: { url_env: DATABASE_URL } }";
const noHttp = "http would send the token";

describe("the configuration of a process in a cluster", () => {
  it.for([
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
  ])("rejects $line", async ({ line, says }, { expect }) => {
    const { config, diagnostics } = await load(`mode: observe\n${line}\n`);
    expect(config).toBe(undefined);
    expect(diagnostics.map((diagnostic) => problemLine(diagnostic, "")).join("\n")).toContain(says);
  });
});
