import { Option } from "commander";

import { example, type Add } from "../output/command-parts.ts";
import type { EmulateFlags } from "./emulate.ts";

/** Adds `emulate`. */
export const addEmulate: Add = (program, host, end) => {
  program
    .command("emulate")
    .description("serve the whole API on this machine, with synthetic data and no account")
    .addOption(new Option("-l, --listen <address>", "host and port").default("127.0.0.1:8787"))
    .option("--seed <file>", "zones, policies, rulesets and tokens to begin with (YAML)")
    .option("--state <file>", "keep the state in a file, through restarts")
    .option("--generate <what>", "make zones up: zones=1000,policies=3,scripts=50,seed=1")
    .addOption(
      new Option(
        "--dialect <dialect>",
        "answers as the published schema or the specification has them",
      )
        .choices(["published", "specification"])
        .default("published"),
    )
    .option("--operations", "print the operations that are served, and end")
    .addHelpText(
      "after",
      example(
        "zonewarden emulate",
        "zonewarden emulate --seed config.example/emulator.yaml",
        "zonewarden emulate --generate zones=1000,policies=3 --state /tmp/emulator.json",
        "curl -H 'Authorization: Bearer emulator-token' http://127.0.0.1:8787/client/v4/zones",
      ),
    )
    .action(async (options: EmulateFlags) => {
      const { emulate } = await import("./emulate.ts");
      end(await emulate(options, host));
    });
};
