import type { Config } from "../../desired/config/config.ts";
import type { LoadedFiles } from "../../desired/load/zone-file-loader.ts";
import type { Host } from "../../host/host.ts";
import { loadZoneFiles, readConfig } from "../../host/load.ts";
import { ListenError } from "../../web/listen-error.ts";
import { reachService } from "../session/embedded-emulator.ts";
import { checkCluster } from "./check-cluster.ts";
import { checkHistory, checkState } from "./check-directories.ts";
import { checkConfig, checkSecrets, checkZoneFiles } from "./check-files.ts";
import { checkService } from "./check-service.ts";
import { checkNames, type CheckFinding, finding, skipped } from "./finding.ts";

/** Checks everything that a daemon needs, as far as each check can be made. Writes nothing and sends only GETs. */
export async function examine(
  file: string,
  host: Host,
  stop: AbortSignal,
): Promise<readonly CheckFinding[]> {
  const loaded = await readConfig(file, host, stop);
  const configuration = checkConfig(loaded, file, host);
  const { config } = loaded;
  if (config === undefined) {
    const others = checkNames.filter((name) => name !== "configuration");
    return [
      ...configuration,
      ...others.map((name) => skipped(name, "the configuration is invalid")),
    ];
  }
  const state = await loadZoneFiles(config.desired.path, config.lint, host, stop);
  const found = [
    ...configuration,
    ...(await checkSecrets(config, host)),
    ...checkZoneFiles(state, config, host),
    ...(await ofService(config, state, host, stop)),
    ...(await checkState(config, host)),
    ...(await checkHistory(config, host)),
    ...(await checkCluster(config, host)),
  ];
  return checkNames.flatMap((name) => found.filter(({ check }) => check === name));
}

/** Starts the embedded emulator where the configuration names one and none runs. */
async function ofService(
  config: Config,
  state: LoadedFiles,
  host: Host,
  stop: AbortSignal,
): Promise<readonly CheckFinding[]> {
  const lines: string[] = [];
  const listening = {
    ...host,
    stderr: { isTTY: false, write: (text: string) => lines.push(text) },
  };
  const remedy = "correct api.emulator in the configuration";
  try {
    await using reached = await reachService(config, listening, true);
    if (reached !== undefined) {
      return await checkService(state, { config, baseUrl: reached.baseUrl, host }, stop);
    }
    const message = `the seed of the emulator is invalid: ${lines.join("").trim()}`;
    return [finding("service", "error", { message, remedy })];
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    return [finding("service", "error", { message: error.message, remedy })];
  }
}
