import { configOption, example, type Add } from "../output/command-parts.ts";
import type { RunFlags } from "./run.ts";

/** Adds `run`. */
export const addRun: Add = (program, host, end) => {
  program
    .command("run")
    .description("keep every zone as declared: on a schedule, and on each change of the files")
    .addOption(configOption())
    .addHelpText("after", example("zonewarden run --config /etc/zonewarden/zonewarden.yaml"))
    .action(async (options: RunFlags) => {
      const { run } = await import("./run.ts");
      end(await run(options, host));
    });
};
