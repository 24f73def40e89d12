import { type Command, Option } from "commander";

import type { Host } from "../../host/host.ts";
import { plural } from "../../render/format.ts";
import type { Table } from "../../render/inventory-formats.ts";
import { rulesetDiff } from "../../render/ruleset-diff.ts";
import type { JsonObject } from "../../syntax/json.ts";
import { configOption, type DefineCommand, example, formatOption } from "../command-options.ts";
import { type ExitCode, exitCodes } from "../output/exit-codes.ts";
import {
  diffJson,
  diffText,
  headJson,
  headTable,
  headText,
  ruleTable,
  versionTable,
} from "../output/ruleset-output.ts";
import { tableText } from "../output/table.ts";
import { type RulesetFlags, type ScopeFlags, withRuleset, withScope } from "./ruleset-lookup.ts";

/** Adds a command for each thing to do with rulesets. */
export const defineRulesets: DefineCommand = (command, host, end) => {
  command.addHelpText(
    "after",
    example(
      "zonewarden rulesets list shop.example.com",
      "zonewarden rulesets show shop.example.com owasp --account",
      "zonewarden rulesets diff shop.example.com entrypoint 3",
    ),
  );
  const add: AddCommand = (name, description, ...examples) =>
    command
      .command(name)
      .description(description)
      .argument("<zone>", "a zone, by its name or id")
      .addOption(configOption())
      .addOption(formatOption("text", "json"))
      .option("--account", "the rulesets of the zone's account instead of those of the zone")
      .addHelpText("after", example(...examples));
  defineRead(add, host, end);
  defineVersions(add, host, end);
};

type AddCommand = (name: string, description: string, ...examples: readonly string[]) => Command;

type DefineCommands = (add: AddCommand, host: Host, end: (code: ExitCode) => void) => void;

/** The options of a command, without its arguments. */
type Options<Flags> = Omit<Flags, "zone" | "ruleset">;

const rulesetHelp =
  "its id, its phase, its name, or one of: entrypoint, owasp, cloudflare, exposed_credentials, free";

const defineRead: DefineCommands = (add, host, end) => {
  add(
    "list",
    "list rulesets",
    "zonewarden rulesets list shop.example.com",
    "zonewarden rulesets list shop.example.com --account --format json",
  ).action(async (zone: string, options: Options<ScopeFlags>) => {
    end(await listRulesets({ ...options, zone }, host));
  });

  add(
    "show",
    "show a ruleset with its rules",
    "zonewarden rulesets show shop.example.com entrypoint",
    "zonewarden rulesets show shop.example.com entrypoint --ruleset-version 3",
    "zonewarden rulesets show shop.example.com owasp --account --tag paranoia-level-3",
  )
    .argument("<ruleset>", rulesetHelp)
    .option("--ruleset-version <number>", "this version instead of the newest")
    .option("--tag <tag>", "only rules with this category")
    .action(async (zone: string, ruleset: string, options: Options<ShowFlags>) => {
      end(await showRuleset({ ...options, zone, ruleset }, host));
    });
};

const defineVersions: DefineCommands = (add, host, end) => {
  add(
    "versions",
    "list the versions of a ruleset",
    "zonewarden rulesets versions shop.example.com entrypoint",
  )
    .argument("<ruleset>", rulesetHelp)
    .action(async (zone: string, ruleset: string, options: Options<RulesetFlags>) => {
      end(await listVersions({ ...options, zone, ruleset }, host));
    });

  add(
    "diff",
    "print the differences between two versions of a ruleset",
    "zonewarden rulesets diff shop.example.com entrypoint 3",
    "zonewarden rulesets diff shop.example.com entrypoint 3 5",
  )
    .argument("<ruleset>", rulesetHelp)
    .argument("<version>", "the version before")
    .argument("[other]", "the version after; the newest by default")
    .action(
      async (
        zone: string,
        ruleset: string,
        version: string,
        other: string | undefined,
        options: Options<RulesetFlags>,
      ) => {
        end(await diffVersions({ ...options, zone, ruleset, version, other }, host));
      },
    );

  add(
    "prune",
    "delete old versions of a ruleset, after a confirmation",
    "zonewarden rulesets prune shop.example.com entrypoint --keep 20",
    "zonewarden rulesets prune shop.example.com entrypoint --yes",
  )
    .argument("<ruleset>", rulesetHelp)
    .addOption(
      new Option("--keep <number>", "how many of the newest versions to keep").default("10"),
    )
    .option("--yes", "delete without asking")
    .action(async (zone: string, ruleset: string, options: Options<PruneFlags>) => {
      end(await pruneVersions({ ...options, zone, ruleset }, host));
    });
};

function listRulesets(flags: ScopeFlags, host: Host): Promise<ExitCode> {
  return withScope(flags, host, async (scope, { service, stop }) => {
    const heads = await service.rulesets.list(scope, stop);
    print(flags, heads.map(headJson), headTable(heads), host);
    return exitCodes.done;
  });
}

interface ShowFlags extends RulesetFlags {
  readonly rulesetVersion?: string;
  readonly tag?: string;
}

function showRuleset(flags: ShowFlags, host: Host): Promise<ExitCode> {
  const { rulesetVersion, tag } = flags;
  return withRuleset(flags, host, async ({ scope, id }, { service, stop }) => {
    const ruleset = await service.rulesets.read(scope, id, rulesetVersion, stop);
    const rules = ruleset.rules.filter(
      ({ categories }) => tag === undefined || categories.includes(tag),
    );
    if (flags.format === "text") host.stdout.write(`${headText(ruleset, rules.length)}\n\n`);
    const json = { ...headJson(ruleset), rules: rules.map(({ wire }) => wire) };
    print(flags, json, ruleTable(rules), host);
    return exitCodes.done;
  });
}

function listVersions(flags: RulesetFlags, host: Host): Promise<ExitCode> {
  return withRuleset(flags, host, async ({ scope, id }, { service, stop }) => {
    const heads = await service.rulesets.versions(scope, id, stop);
    print(flags, heads.map(headJson), versionTable(heads), host);
    return exitCodes.done;
  });
}

interface DiffFlags extends RulesetFlags {
  readonly version: string;
  /** `undefined`: the newest version. */
  readonly other: string | undefined;
}

function diffVersions(flags: DiffFlags, host: Host): Promise<ExitCode> {
  return withRuleset(flags, host, async ({ scope, id }, { service, stop }) => {
    const before = await service.rulesets.read(scope, id, flags.version, stop);
    const after = await service.rulesets.read(scope, id, flags.other, stop);
    const diffs = rulesetDiff(before, after);
    const text =
      flags.format === "json"
        ? JSON.stringify(diffJson(id, before, after, diffs), null, 2)
        : diffText(before, after, diffs);
    host.stdout.write(`${text}\n`);
    return exitCodes.done;
  });
}

interface PruneFlags extends RulesetFlags {
  readonly keep: string;
  readonly yes?: boolean;
}

/** Deletes all versions but the newest, after a confirmation. */
async function pruneVersions(flags: PruneFlags, host: Host): Promise<ExitCode> {
  const { keep, yes = false } = flags;
  if (!/^[1-9]\d{0,5}$/.test(keep)) {
    host.stderr.write("--keep: write a number from 1 up: the newest version is always kept\n");
    return exitCodes.failed;
  }
  return withRuleset(flags, host, async ({ scope, id }, { service, stop }) => {
    const versions = await service.rulesets.versions(scope, id, stop);
    const old = versions.slice(0, Math.max(0, versions.length - Number(keep)));
    const [first, last] = [old[0]?.version, old.at(-1)?.version];
    if (first === undefined || last === undefined) {
      host.stdout.write(
        `nothing to delete: the ruleset has ${plural(versions.length, "version")}, and --keep is ${keep}\n`,
      );
      return exitCodes.done;
    }
    const what = `${old.length} of ${plural(versions.length, "version")} of ${id} (${first} to ${last})`;
    if (!yes && !(await host.confirm(`Delete ${what}? This cannot be undone.`, stop))) {
      host.stderr.write(`nothing was deleted; --yes deletes ${what} without asking\n`);
      return exitCodes.held;
    }
    for (const { version } of old) await service.pruner.prune(scope, id, version, stop);
    host.stdout.write(`deleted ${what}\n`);
    return exitCodes.done;
  });
}

function print(
  { format }: ScopeFlags,
  json: JsonObject | readonly JsonObject[],
  table: Table,
  { stdout }: Host,
): void {
  stdout.write(format === "json" ? `${JSON.stringify(json, null, 2)}\n` : `${tableText(table)}\n`);
}
