import { InvalidArgumentError, Option } from "commander";

import { type Add, configOption, example } from "./command-parts.ts";

/** What can be imported of a zone. */
const importable = ["settings", "policies", "rules"] as const;

/** One of {@link importable}. */
export type ImportPart = (typeof importable)[number];

/** What `import` is told. */
export interface ImportFlags {
  readonly config: string;
  /** Patterns of zone names; none means all. */
  readonly zones: readonly string[];
  readonly only: readonly ImportPart[];
  /** The directory for the files; `undefined`: print one text. */
  readonly out: string | undefined;
  readonly force: boolean;
  /** The profile that takes in what the zones have in common. */
  readonly profile: string | undefined;
}

/** Adds `zonewarden import`. */
export const addImport: Add = (program, machine, end) => {
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
    .action(async (zones: readonly string[], options: ImportOptions) => {
      const { importCommand } = await import("./import.ts");
      const { out, profile } = options;
      end(await importCommand({ ...options, zones, out, profile }, machine));
    });
};

interface ImportOptions extends Omit<ImportFlags, "zones" | "out" | "profile"> {
  readonly out?: string;
  readonly profile?: string;
}

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
