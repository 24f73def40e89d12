import type { Config } from "../../src/desired/config/config.ts";
import { loadConfig, type LoadedConfig } from "../../src/desired/config/load-config.ts";
import { cronError } from "../../src/reconcile/schedule/schedule.ts";
import { memoryFiles } from "./memory-files.ts";

/** What loading says of a text, as if it were in a file. */
export function loadedFrom(text: string, file = "/zonewarden.yaml"): Promise<LoadedConfig> {
  const ports = { files: memoryFiles({ [file]: text }).port, cronError };
  return loadConfig(file, ports, new AbortController().signal);
}

/** The configuration of a text, as if it were in a file. Throws if it has an error. */
export async function configFrom(text: string, file?: string): Promise<Config> {
  const { config, diagnostics } = await loadedFrom(text, file);
  if (config === undefined) throw new Error(JSON.stringify(diagnostics));
  return config;
}
