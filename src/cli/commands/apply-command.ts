import type { Command } from "commander";

import {
  acceptOption,
  configOption,
  example,
  formatOption,
  type Add,
} from "../output/command-parts.ts";
import type { ApplyPlanFlags } from "./apply-plan.ts";
import type { ApplyFlags } from "./apply.ts";

/** Adds `apply`, which carries out a look of its own or a saved plan, or only asks what the service says to it. */
export const addApply: Add = (program, host, end) => {
  program
    .command("apply")
    .description("change once what differs from the files")
    .argument("[zones...]", "only these zones (names, * stands for anything)")
    .addOption(configOption())
    .addOption(formatOption("text", "json", "markdown"))
    .addOption(acceptOption())
    .option("--plan <file>", "carry out what plan --out has saved, and nothing else")
    .option("--check", "let the service judge the writes of rulesets, and store nothing")
    .addHelpText(
      "after",
      example(
        "zonewarden apply",
        "zonewarden apply shop.example.com",
        "zonewarden apply --accept 3f2a91c07be4 shop.example.com",
        "zonewarden apply --plan plan.json",
      ),
    )
    .action(async (zones: readonly string[], options: ApplyOptions, command: Command) => {
      const { plan, accept = [], check = false } = options;
      if (plan === undefined && check) {
        const { checkCommand } = await import("./check.ts");
        end(await checkCommand({ ...options, zones }, host));
        return;
      }
      if (plan === undefined) {
        const { applyCommand } = await import("./apply.ts");
        end(await applyCommand({ ...options, zones }, host));
        return;
      }
      if (zones.length > 0 || accept.length > 0 || check) {
        command.error(
          "error: --plan carries out a whole saved plan: name neither zones nor --accept nor --check",
        );
      }
      const { applyPlanCommand } = await import("./apply-plan.ts");
      end(await applyPlanCommand({ ...options, plan }, host));
    });
};

type ApplyOptions = Omit<ApplyFlags, "zones"> &
  Partial<Pick<ApplyPlanFlags, "plan">> & { readonly check?: boolean };
