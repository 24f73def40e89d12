import type { Config } from "../../src/desired/config/config.ts";
import { loadConfig } from "../../src/desired/config/load-config.ts";
import { cronError } from "../../src/reconcile/schedule/schedule.ts";
import { memoryFiles } from "./memory-files.ts";

/** The configuration of a text, as if it were in `/zonewarden.yaml`. Throws if it has an error. */
export async function configFrom(text: string): Promise<Config> {
  const ports = { files: memoryFiles({ "/zonewarden.yaml": text }).port, cronError };
  const signal = new AbortController().signal;
  const { config, diagnostics } = await loadConfig("/zonewarden.yaml", ports, signal);
  if (config === undefined) throw new Error(JSON.stringify(diagnostics));
  return config;
}
