import { Option } from "commander";

import { granularities } from "../../impact/suggest-policy.ts";
import { configOption, example, type Add } from "../output/command-parts.ts";
import type { SuggestFlags } from "./suggest.ts";

/** Adds `suggest`. */
export const addSuggest: Add = (program, host, end) => {
  program
    .command("suggest")
    .description(
      "print a content security policy for a host, made from what was seen; writes nothing",
    )
    .argument("<host>", "a host of one of the zones")
    .addOption(configOption())
    .addOption(
      new Option("--by <granularity>", "how closely to name what is let in")
        .choices(granularities)
        .default("host"),
    )
    .addHelpText(
      "after",
      example(
        "zonewarden suggest shop.example.com",
        "zonewarden suggest shop.example.com --by path > zones/suggested.yaml",
      ),
    )
    .action(async (target: string, options: Omit<SuggestFlags, "host">) => {
      const { suggestCommand } = await import("./suggest.ts");
      end(await suggestCommand({ ...options, host: target }, host));
    });
};
