import type { Host } from "../../host/host.ts";
import { loadZoneFiles, readConfig } from "../../host/load.ts";
import { namesOf } from "../../reconcile/fleet/desired-fleet.ts";

/** Ends a completion that would wait for ever, such as for a pipe; a busy machine takes seconds for thousands of zones. */
const maxLoadMs = 20_000;

/** The names of zones in the files of the configuration that `words` name; none if the files cannot be read in time. */
export async function declaredNames(
  words: readonly string[],
  host: Host,
): Promise<readonly string[]> {
  const signal = AbortSignal.timeout(maxLoadMs);
  const at = words.findIndex((word) => word === "--config" || word === "-c");
  const named = at < 0 ? undefined : words[words[at + 1] === "=" ? at + 2 : at + 1];
  const file = named ?? host.env["ZONEWARDEN_CONFIG"] ?? "zonewarden.yaml";
  try {
    const { config } = await readConfig(file, host, signal);
    if (config === undefined) return [];
    const state = await loadZoneFiles(config.desired.path, config.lint, host, signal);
    return [...new Set(namesOf(state.documents))];
  } catch (error) {
    if (signal.aborted) return [];
    throw error;
  }
}
