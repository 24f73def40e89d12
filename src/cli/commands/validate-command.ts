import { configOption, example, formatOption, type Add } from "../output/command-parts.ts";
import type { ValidateFlags } from "./validate.ts";

/** Adds `validate`. */
export const addValidate: Add = (program, host, end) => {
  program
    .command("validate")
    .description("check the files; needs neither network nor token")
    .argument("[path]", "directory or file with zone documents, instead of the configured one")
    .addOption(configOption())
    .addOption(formatOption("text", "json", "sarif", "annotations"))
    .option("--show <zone>", "print a zone as merged, and where each value was set")
    .addHelpText(
      "after",
      example(
        "zonewarden validate",
        "zonewarden validate zones/",
        "zonewarden validate --show shop.example.com",
        "zonewarden validate --format sarif > zonewarden.sarif",
      ),
    )
    .action(async (path: string | undefined, options: Omit<ValidateFlags, "path">) => {
      const { validate } = await import("./validate.ts");
      end(await validate({ ...options, path }, host));
    });
};
