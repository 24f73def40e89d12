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

const noHttp = "http would send the token";

describe("the configuration of a process in a cluster", () => {
  it.for([
    { line: "cluster: { lease_duration: 5s }", says: "write a duration from 15s to 5m" },
    { line: "cluster: { lease_duration: 6m }", says: "write a duration from 15s to 5m" },
    {
      line: "cluster: {}\nstate: { path: state }",
      says: `"state.path" has no effect with "cluster"`,
    },
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
