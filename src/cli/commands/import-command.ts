import { InvalidArgumentError, Option } from "commander";

import { type Add, configOption, example } from "../output/command-parts.ts";
import type { ImportFlags, ImportPart } from "./import.ts";

/** Adds `import`. */
export const addImport: Add = (program, host, end) => {
  program
    .command("import")
    .description("write down what is live, as zone documents of which a plan is empty")
    .argument("[zones...]", "only these zones (names, * stands for anything; or ids)")
    .addOption(configOption())
    .option("-o, --out <directory>", "write a file for each zone, instead of printing one text")
    .option("--force", "overwrite files that are there", false)
    .addOption(
      new Option("--only <parts>", "what to import: settings,policies,rules")
        .argParser(partsIn)
        .default([...importable], importable.join(",")),
    )
    .addOption(
      new Option("--profile <name>", "put what the zones have in common into a profile").argParser(
        profileNameIn,
      ),
    )
    .addHelpText(
      "after",
      example(
        "zonewarden import shop.example.com",
        "zonewarden import --out zones --profile baseline",
        "zonewarden import '*.example.com' --only rules --out zones --force",
      ),
    )
    .action(async (zones: readonly string[], options: Omit<ImportFlags, "zones">) => {
      const { importCommand } = await import("./import.ts");
      end(await importCommand({ ...options, zones }, host));
    });
};

const importable: readonly ImportPart[] = ["settings", "policies", "rules"];

/** Reads `--only`. */
function partsIn(text: string): readonly ImportPart[] {
  const names = new Set(text.split(",").map((name) => name.trim()));
  const parts = importable.filter((part) => names.has(part));
  if (parts.length === names.size) return parts;
  throw new InvalidArgumentError(`Write some of ${importable.join(", ")}, with commas between.`);
}

/** Reads `--profile`; a profile is named as the schema of zone documents wants it. */
function profileNameIn(text: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/.test(text)) return text;
  throw new InvalidArgumentError(
    "A name has small letters, digits, `.`, `_` or `-`, at most 64, and a letter or digit first.",
  );
}
