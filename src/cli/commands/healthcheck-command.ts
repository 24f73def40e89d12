import type { Host } from "../../host/host.ts";
import { loadConfigOrPrint } from "../../host/load.ts";
import { withoutControls } from "../../render/terminal-safe.ts";
import type { DefineCommand } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { askDaemon } from "../session/ask-daemon.ts";

export const defineHealthcheck: DefineCommand = (command, host) => {
  command
    .configFile()
    .option("--ready", "ask whether a revision of the files is active, not only whether it works")
    .examples("zonewarden healthcheck", "zonewarden healthcheck --ready")
    .runs(({ config, ready }: { readonly config: string; readonly ready?: boolean }) =>
      check(config, ready === true ? "/readyz" : "/livez", host),
    );
};

async function check(file: string, path: string, host: Host): Promise<ExitCode> {
  const config = await loadConfigOrPrint(file, host, AbortSignal.timeout(5_000));
  if (config === undefined) return exitCodes.invalid;
  const { response, why } = await askDaemon(path, config);
  if (response === undefined) return fail(why, host);
  const text = withoutControls(await response.text()).trim();
  if (!response.ok) return fail(text, host);
  host.stdout.write(`${text}\n`);
  return exitCodes.done;
}
