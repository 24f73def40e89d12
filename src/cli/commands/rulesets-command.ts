import { Option, type Command } from "commander";

import type { Host } from "../../host/host.ts";
import { configOption, example, formatOption, type Add } from "../output/command-parts.ts";
import type { ExitCode } from "../output/exit-codes.ts";
import type { PruneQuestion } from "./prune.ts";
import type { RulesetFlags, ShowQuestion } from "./rulesets.ts";

/** Adds `rulesets` with its commands. */
export const addRulesets: Add = (program, host, end) => {
  const rulesets = program
    .command("rulesets")
    .description("look at rulesets and their versions, and delete old ones (prune)")
    .addHelpText(
      "after",
      example(
        "zonewarden rulesets list shop.example.com",
        "zonewarden rulesets show shop.example.com owasp --account",
        "zonewarden rulesets diff shop.example.com entrypoint 3",
      ),
    );
  const add: AddRulesets = (name, description, ...examples) =>
    rulesets
      .command(name)
      .description(description)
      .argument("<zone>", "a zone, by its name or id")
      .addOption(configOption())
      .addOption(formatOption("text", "json"))
      .option("--account", "the rulesets of the zone's account, not those of the zone")
      .addHelpText("after", example(...examples));
  addReading(add, host, end);
  addVersions(add, host, end);
};

type AddRulesets = (name: string, description: string, ...examples: readonly string[]) => Command;

/** What a question has of the options, without what its arguments say. */
type Flags<Question> = Omit<Question, "zone" | "ruleset">;

type AddTo = (add: AddRulesets, host: Host, end: (code: ExitCode) => void) => void;

const rulesetWords =
  "its id, its phase, its name, or one of: entrypoint, owasp, cloudflare, exposed_credentials, free";

const addReading: AddTo = (add, host, end) => {
  add(
    "list",
    "list rulesets",
    "zonewarden rulesets list shop.example.com",
    "zonewarden rulesets list shop.example.com --account --format json",
  ).action(async (zone: string, options: RulesetFlags) => {
    const { listCommand } = await import("./rulesets.ts");
    end(await listCommand({ ...options, zone, ruleset: "" }, host));
  });

  add(
    "show",
    "show a ruleset with its rules",
    "zonewarden rulesets show shop.example.com entrypoint",
    "zonewarden rulesets show shop.example.com entrypoint --ruleset-version 3",
    "zonewarden rulesets show shop.example.com owasp --account --tag paranoia-level-3",
  )
    .argument("<ruleset>", rulesetWords)
    .option("--ruleset-version <number>", "this version, not the newest")
    .option("--tag <tag>", "only rules with this category")
    .action(async (zone: string, name: string, options: Flags<ShowQuestion>) => {
      const { showCommand } = await import("./rulesets.ts");
      end(await showCommand({ ...options, zone, ruleset: name }, host));
    });
};

const addVersions: AddTo = (add, host, end) => {
  add(
    "versions",
    "list the versions of a ruleset",
    "zonewarden rulesets versions shop.example.com entrypoint",
  )
    .argument("<ruleset>", rulesetWords)
    .action(async (zone: string, name: string, options: RulesetFlags) => {
      const { versionsCommand } = await import("./rulesets.ts");
      end(await versionsCommand({ ...options, zone, ruleset: name }, host));
    });

  add(
    "diff",
    "say what differs between two versions of a ruleset",
    "zonewarden rulesets diff shop.example.com entrypoint 3",
    "zonewarden rulesets diff shop.example.com entrypoint 3 5",
  )
    .argument("<ruleset>", rulesetWords)
    .argument("<version>", "the version before")
    .argument("[other]", "the version after; without it, the newest")
    .action(
      async (
        zone: string,
        name: string,
        version: string,
        other: string | undefined,
        options: RulesetFlags,
      ) => {
        const { diffCommand } = await import("./rulesets.ts");
        end(await diffCommand({ ...options, zone, ruleset: name, version, other }, host));
      },
    );

  add(
    "prune",
    "delete old versions of a ruleset, after asking",
    "zonewarden rulesets prune shop.example.com entrypoint --keep 20",
    "zonewarden rulesets prune shop.example.com entrypoint --yes",
  )
    .argument("<ruleset>", rulesetWords)
    .addOption(new Option("--keep <number>", "how many of the newest versions stay").default("10"))
    .option("--yes", "do not ask")
    .action(async (zone: string, name: string, options: Flags<PruneQuestion>) => {
      const { pruneCommand } = await import("./prune.ts");
      end(await pruneCommand({ ...options, zone, ruleset: name }, host));
    });
};
