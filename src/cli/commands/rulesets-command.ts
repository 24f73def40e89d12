import { InvalidArgumentError } from "commander";

import type { RulesetScope } from "../../api/read/read-rulesets.ts";
import type { Host } from "../../host/host.ts";
import type { Table } from "../../render/inventory-formats.ts";
import { rulesetDiff } from "../../render/ruleset-diff.ts";
import type { JsonObject } from "../../syntax/json.ts";
import type { CliCommand, DefineCommand } from "../command-options.ts";
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
import type { Session } from "../session/session.ts";
import { type PruneFlags, pruneVersions } from "./prune-versions.ts";
import { type FoundRuleset, type RulesetFlags, withRuleset, withScope } from "./ruleset-lookup.ts";

export const defineRulesets: DefineCommand = (command, host, end) => {
  command.examples(
    "zonewarden rulesets list shop.example.com",
    "zonewarden rulesets show shop.example.com owasp --account",
    "zonewarden rulesets diff shop.example.com entrypoint 3",
  );
  addCommand(command, "list", "list rulesets")
    .examples(
      "zonewarden rulesets list shop.example.com",
      "zonewarden rulesets list shop.example.com --account --format json",
    )
    .action(async (zone: string, flags: RulesetFlags) => {
      end(await withScope(zone, flags, host, listRulesets));
    });
  addCommand(command, "show", "show a ruleset with its rules")
    .argument("<ruleset>", rulesetHelp)
    .option("--ruleset-version <number>", "this version instead of the newest")
    .option("--tag <tag>", "only rules with this category")
    .examples(
      "zonewarden rulesets show shop.example.com entrypoint",
      "zonewarden rulesets show shop.example.com entrypoint --ruleset-version 3",
      "zonewarden rulesets show shop.example.com owasp --account --tag paranoia-level-3",
    )
    .action(async (zone: string, ruleset: string, flags: ShowFlags) => {
      end(await withRuleset(zone, ruleset, flags, host, showRuleset));
    });
  defineVersions(command, host, end);
};

const defineVersions: DefineCommand = (command, host, end) => {
  addCommand(command, "versions", "list the versions of a ruleset")
    .argument("<ruleset>", rulesetHelp)
    .examples("zonewarden rulesets versions shop.example.com entrypoint")
    .action(async (zone: string, ruleset: string, flags: RulesetFlags) => {
      end(await withRuleset(zone, ruleset, flags, host, listVersions));
    });
  addCommand(command, "diff", "print the differences between two versions of a ruleset")
    .argument("<ruleset>", rulesetHelp)
    .argument("<version>", "the version before")
    .argument("[other]", "the version after; the newest by default")
    .examples(
      "zonewarden rulesets diff shop.example.com entrypoint 3",
      "zonewarden rulesets diff shop.example.com entrypoint 3 5",
    )
    .action(
      async (
        zone: string,
        ruleset: string,
        ...rest: readonly [string, string | undefined, RulesetFlags]
      ) => {
        const [version, other, flags] = rest;
        end(await withRuleset(zone, ruleset, { ...flags, version, other }, host, diffVersions));
      },
    );
  addCommand(command, "prune", "delete old versions of a ruleset, after a confirmation")
    .argument("<ruleset>", rulesetHelp)
    .option("--keep <number>", "how many of the newest versions to keep", keptCount, "10")
    .option("--yes", "delete without asking")
    .examples(
      "zonewarden rulesets prune shop.example.com entrypoint --keep 20",
      "zonewarden rulesets prune shop.example.com entrypoint --yes",
    )
    .action(async (zone: string, ruleset: string, flags: PruneFlags) => {
      end(await withRuleset(zone, ruleset, flags, host, pruneVersions));
    });
};

function addCommand(command: CliCommand, name: string, description: string): CliCommand {
  return command
    .command(name)
    .description(description)
    .argument("<zone>", "a zone, by its name or id")
    .configFile()
    .formats("text", "json")
    .option("--account", "the rulesets of the zone's account instead of those of the zone");
}

const rulesetHelp =
  "its id, its phase, its name, or one of: entrypoint, owasp, cloudflare, exposed_credentials, free";

async function listRulesets(
  scope: RulesetScope,
  flags: RulesetFlags,
  { service, host, stop }: Session,
): Promise<ExitCode> {
  const heads = await service.rulesets.list(scope, stop);
  return print(flags, heads.map(headJson), headTable(heads), host);
}

interface ShowFlags extends RulesetFlags {
  readonly rulesetVersion?: string;
  readonly tag?: string;
}

async function showRuleset(
  { scope, id }: FoundRuleset,
  flags: ShowFlags,
  { service, host, stop }: Session,
): Promise<ExitCode> {
  const { rulesetVersion, tag } = flags;
  const ruleset = await service.rulesets.read(scope, id, rulesetVersion, stop);
  const rules = ruleset.rules.filter(
    ({ categories }) => tag === undefined || categories.includes(tag),
  );
  if (flags.format === "text") host.stdout.write(`${headText(ruleset, rules.length)}\n\n`);
  const json = { ...headJson(ruleset), rules: rules.map(({ wire }) => wire) };
  return print(flags, json, ruleTable(rules), host);
}

async function listVersions(
  { scope, id }: FoundRuleset,
  flags: RulesetFlags,
  { service, host, stop }: Session,
): Promise<ExitCode> {
  const heads = await service.rulesets.versions(scope, id, stop);
  return print(flags, heads.map(headJson), versionTable(heads), host);
}

interface DiffFlags extends RulesetFlags {
  readonly version: string;
  /** `undefined`: the newest version. */
  readonly other: string | undefined;
}

async function diffVersions(
  { scope, id }: FoundRuleset,
  flags: DiffFlags,
  { service, host, stop }: Session,
): Promise<ExitCode> {
  const before = await service.rulesets.read(scope, id, flags.version, stop);
  const after = await service.rulesets.read(scope, id, flags.other, stop);
  const diffs = rulesetDiff(before, after);
  const text =
    flags.format === "json"
      ? JSON.stringify(diffJson(id, before, after, diffs), null, 2)
      : diffText(before, after, diffs);
  host.stdout.write(`${text}\n`);
  return exitCodes.done;
}

function keptCount(text: string): string {
  if (/^[1-9]\d{0,5}$/.test(text)) return text;
  throw new InvalidArgumentError("Write a number from 1 up: the newest version is always kept.");
}

function print(
  { format }: RulesetFlags,
  json: JsonObject | readonly JsonObject[],
  table: Table,
  { stdout }: Host,
): ExitCode {
  stdout.write(format === "json" ? `${JSON.stringify(json, null, 2)}\n` : `${tableText(table)}\n`);
  return exitCodes.done;
}
