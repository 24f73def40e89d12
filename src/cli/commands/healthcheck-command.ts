import type { Config } from "../../desired/config/config.ts";
import type { Host } from "../../host/host.ts";
import { loadConfigOrPrint } from "../../host/load.ts";
import { terminalSafe } from "../../render/terminal-safe.ts";
import { hostWithPort } from "../../syntax/host-port.ts";
import type { DefineCommand } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";

export const defineHealthcheck: DefineCommand = (command, host, end) => {
  command
    .configFile()
    .option("--ready", "ask whether a revision of the files is active, not only whether it works")
    .examples("zonewarden healthcheck", "zonewarden healthcheck --ready")
    .action(async ({ config, ready }: { readonly config: string; readonly ready?: boolean }) => {
      end(await check(config, ready === true ? "/readyz" : "/livez", host));
    });
};

/** A probe that takes longer has failed. */
const timeoutMs = 5_000;

async function check(file: string, path: string, host: Host): Promise<ExitCode> {
  const signal = AbortSignal.timeout(timeoutMs);
  const config = await loadConfigOrPrint(file, host, signal);
  if (config === undefined) return exitCodes.invalid;
  const url = new URL(path, addressOf(config));
  try {
    const response = await fetch(url, { signal });
    const text = terminalSafe(await response.text()).trim();
    if (!response.ok) return fail(text, host);
    host.stdout.write(`${text}\n`);
    return exitCodes.done;
  } catch {
    return fail(`${url.href} does not answer: is zonewarden run not running here?`, host);
  }
}

/** A server that listens on all addresses answers on the loopback address. */
function addressOf({ server: { listen } }: Config): string {
  const host = { "0.0.0.0": "127.0.0.1", "::": "::1" }[listen.host] ?? listen.host;
  return `http://${hostWithPort(host, listen.port)}`;
}
