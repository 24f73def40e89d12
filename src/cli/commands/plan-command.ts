import { configOption, example, formatOption, type Add } from "../output/command-parts.ts";
import type { PlanFlags } from "./plan.ts";

/** Adds `plan`. */
export const addPlan: Add = (program, host, end) => {
  program
    .command("plan")
    .description("say what would be changed; writes nothing")
    .argument("[zones...]", "only these zones (names, * stands for anything)")
    .addOption(configOption())
    .addOption(formatOption("text", "json", "markdown"))
    .option("-o, --out <file>", "save the plan, to be carried out exactly as it is")
    .option(
      "--impact",
      "tell what it does to the scripts, connections and rules that are really there",
    )
    .addHelpText(
      "after",
      example(
        "zonewarden plan",
        "zonewarden plan '*.example.com'",
        "zonewarden plan shop.example.com --impact",
        "zonewarden plan --out plan.json    # ends with 2 when there are changes",
        "zonewarden apply --plan plan.json",
        "zonewarden plan --format json | jq .summary",
        "zonewarden plan --format markdown > comment.md",
      ),
    )
    .action(async (zones: readonly string[], options: Omit<PlanFlags, "zones">) => {
      const { planCommand } = await import("./plan.ts");
      end(await planCommand({ ...options, zones }, host));
    });
};
