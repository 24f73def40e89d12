import { InvalidArgumentError } from "commander";

import type { RulesetScope } from "../../api/read/read-rulesets.ts";
import { selectZones } from "../../desired/zones/select.ts";
import type { Host } from "../../host/host.ts";
import { loadDesiredOrPrint } from "../../host/load.ts";
import { writeHolds } from "../../plan/guard/guard.ts";
import type { Hold } from "../../plan/guard/hold.ts";
import { desiredFleet, joinListings } from "../../reconcile/fleet/desired-fleet.ts";
import { windowsOf } from "../../reconcile/schedule/windows.ts";
import { jsonText, plural, printable, valueText } from "../../render/format.ts";
import type { Table } from "../../render/inventory-formats.ts";
import { type RuleDiff, rulesetDiff } from "../../render/ruleset-diff.ts";
import { type Json, type JsonObject, jsonOf, parseName } from "../../syntax/json.ts";
import { managedRulesets, rulesetIdOf } from "../../zone/managed-ruleset.ts";
import { factsOfPhase, rulePhases } from "../../zone/rule-phase.ts";
import type { Ruleset, RulesetHead } from "../../zone/ruleset.ts";
import type { Zone } from "../../zone/zone.ts";
import type { CliCommand, DefineCommand, PrintFlags } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { tableText } from "../output/table.ts";
import { listOneZone } from "../session/listing.ts";
import { type Session, withSession } from "../session/session.ts";

export const defineRulesets: DefineCommand = (command, host) => {
  command.examples(
    "zonewarden rulesets list shop.example.com",
    "zonewarden rulesets show shop.example.com owasp --account",
    "zonewarden rulesets diff shop.example.com managed_rules 3",
  );
  addCommand(command, "list", "list rulesets")
    .examples(
      "zonewarden rulesets list shop.example.com",
      "zonewarden rulesets list shop.example.com --account --format json",
    )
    .runs((zone: string, flags: RulesetFlags) => withScope(zone, flags, host, listRulesets));
  rulesetCommand(command, "show", "show a ruleset with its rules")
    .option("--ruleset-version <number>", "this version instead of the newest")
    .option("--tag <tag>", "only rules with this category")
    .examples(
      "zonewarden rulesets show shop.example.com managed_rules",
      "zonewarden rulesets show shop.example.com managed_rules --ruleset-version 3",
      "zonewarden rulesets show shop.example.com owasp --account --tag paranoia-level-3",
    )
    .runs((zone: string, ruleset: string, flags: ShowFlags) =>
      withRuleset(zone, ruleset, flags, host, showRuleset),
    );
  rulesetCommand(command, "versions", "list the versions of a ruleset")
    .examples("zonewarden rulesets versions shop.example.com managed_rules")
    .runs((zone: string, ruleset: string, flags: RulesetFlags) =>
      withRuleset(zone, ruleset, flags, host, listVersions),
    );
  rulesetCommand(command, "diff", "print the differences between two versions of a ruleset")
    .argument("<version>", "the version before")
    .argument("[other]", "the version after; the newest by default")
    .examples(
      "zonewarden rulesets diff shop.example.com managed_rules 3",
      "zonewarden rulesets diff shop.example.com managed_rules 3 5",
    )
    .runs((...given: readonly [string, string, string, string | undefined, RulesetFlags]) => {
      const [zone, ruleset, version, other, flags] = given;
      return withRuleset(zone, ruleset, { ...flags, version, other }, host, diffVersions);
    });
  rulesetCommand(command, "prune", "delete old versions of a ruleset, after a confirmation")
    .option("--keep <number>", "how many of the newest versions to keep", keptCount, "10")
    .option("--yes", "delete without asking")
    .examples(
      "zonewarden rulesets prune shop.example.com managed_rules --keep 20",
      "zonewarden rulesets prune shop.example.com managed_rules --yes",
    )
    .runs((zone: string, ruleset: string, flags: PruneFlags) =>
      withRuleset(zone, ruleset, flags, host, pruneVersions),
    );
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

function rulesetCommand(command: CliCommand, name: string, description: string): CliCommand {
  return addCommand(command, name, description).argument(
    "<ruleset>",
    `its id, its phase, its name, or one of: ${[...rulePhases, ...Object.keys(managedRulesets)].join(", ")}`,
  );
}

function keptCount(text: string): string {
  if (/^[1-9]\d{0,5}$/.test(text)) return text;
  throw new InvalidArgumentError("Write a number from 1 up: the newest version is always kept.");
}

interface RulesetFlags extends PrintFlags {
  /** Whether the rulesets of the zone's account are meant. */
  readonly account?: boolean;
}

interface FoundRuleset {
  readonly scope: RulesetScope;
  readonly id: string;
}

async function withScope<Flags extends RulesetFlags>(
  name: string,
  flags: Flags,
  host: Host,
  work: (scope: RulesetScope, flags: Flags, session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withSession(flags, host, async (session) => {
    const zone = await listOneZone(name, session);
    if (zone === undefined) return exitCodes.failed;
    return work({ level: flags.account === true ? "account" : "zone", zone }, flags, session);
  });
}

/**
 * Connects to the service, finds the ruleset and runs `work`.
 *
 * @param ruleset an id, a phase or its section in zone files, a short name such as `owasp`, or a name that only one ruleset has.
 */
async function withRuleset<Flags extends RulesetFlags>(
  zone: string,
  ruleset: string,
  flags: Flags,
  host: Host,
  work: (found: FoundRuleset, flags: Flags, session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withScope(zone, flags, host, async (scope, _flags, session) => {
    const id = await idOf(ruleset, scope, session);
    if (id !== undefined) return work({ scope, id }, flags, session);
    const where = scope.level === "zone" ? scope.zone.name : `the account of ${scope.zone.name}`;
    return fail(`${where} has no ruleset "${ruleset}": zonewarden rulesets list shows all`, host);
  });
}

async function idOf(
  name: string,
  scope: RulesetScope,
  { service, stop }: Session,
): Promise<string | undefined> {
  const known = /^[0-9a-f]{32}$/.test(name) ? name : rulesetIdOf(name);
  if (known !== undefined) return known;
  const section = parseName(rulePhases, name);
  const phase = section === undefined ? name : factsOfPhase(section).wire;
  const kind = scope.level === "zone" ? "zone" : "root";
  const heads = await service.rulesets.list(scope, stop);
  const entrypoint = heads.find((head) => head.phase === phase && head.kind === kind);
  if (entrypoint !== undefined) return entrypoint.id;
  const [found, ...others] = heads.filter((head) => head.name === name);
  return others.length === 0 ? found?.id : undefined;
}

async function listRulesets(
  scope: RulesetScope,
  flags: RulesetFlags,
  { service, host, stop }: Session,
): Promise<ExitCode> {
  const heads = await service.rulesets.list(scope, stop);
  const table = {
    head: ["name", "kind", "phase", "version", "id"],
    rows: heads.map(({ name, kind, phase, version, id }) => [name, kind, phase, version, id]),
  };
  return print(flags, heads.map(headJson), table, host);
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
  if (flags.format === "text") {
    const { name, version, phase } = ruleset;
    const all = plural(ruleset.rules.length, "rule");
    const count = rules.length === ruleset.rules.length ? all : `${rules.length} of ${all}`;
    host.stdout.write(
      `${printable(`${name}, version ${version}, ${phase}, ${count} (${id})`)}\n\n`,
    );
  }
  const json = { ...headJson(ruleset), rules: rules.map(({ wire }) => wire) };
  const table = {
    head: ["description", "action", "enabled", "categories or expression", "id"],
    rows: rules.map((rule) => [
      rule.description,
      rule.action,
      rule.enabled ? "yes" : "no",
      rule.categories.length > 0 ? rule.categories.join(" ") : rule.expression,
      rule.id,
    ]),
  };
  return print(flags, json, table, host);
}

async function listVersions(
  { scope, id }: FoundRuleset,
  flags: RulesetFlags,
  { service, host, stop }: Session,
): Promise<ExitCode> {
  const heads = await service.rulesets.versions(scope, id, stop);
  const table = {
    head: ["version", "last updated", "description"],
    rows: heads.map(({ version, lastUpdated, description }) => [version, lastUpdated, description]),
  };
  return print(flags, heads.map(headJson), table, host);
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
  host.stdout.write(
    flags.format === "json"
      ? jsonText(diffJson(id, before, after, diffs))
      : `${diffText(before, after, diffs)}\n`,
  );
  return exitCodes.done;
}

function diffJson(
  ruleset: string,
  before: Ruleset,
  after: Ruleset,
  diffs: readonly RuleDiff[],
): JsonObject {
  const changes = diffs.map(({ verb, rule, place, fields }) => ({
    verb,
    place,
    rule: rule.wire,
    fields: fields.map((each) => ({
      field: each.field,
      before: each.before ?? null,
      after: each.after ?? null,
    })),
  }));
  return { ruleset, before: before.version, after: after.version, changes };
}

const diffSigns = { added: "+", removed: "-", changed: "~", moved: "⇅" } as const;

function diffText(before: Ruleset, after: Ruleset, diffs: readonly RuleDiff[]): string {
  const count = diffs.length === 0 ? "no rule differs" : plural(diffs.length, "difference");
  const lines = diffs.flatMap(({ verb, rule, place, fields }) => {
    const name = printable(rule.description === "" ? rule.ref : rule.description);
    return [
      `  ${diffSigns[verb]} ${verb}, place ${place}: ${name} (${rule.id})`,
      ...fields.map((each) => {
        const values = `${valueText(each.before)} → ${valueText(each.after)}`;
        return `      ${each.field}: ${values}`;
      }),
    ];
  });
  return [`version ${before.version} → ${after.version}: ${count}`, ...lines].join("\n");
}

function headJson(head: RulesetHead): JsonObject {
  const { id, name, description, kind, phase, version, lastUpdated } = head;
  return jsonOf({ id, name, description, kind, phase, version, lastUpdated });
}

function print(
  { format }: RulesetFlags,
  json: Json,
  { head, rows }: Table,
  { stdout }: Host,
): ExitCode {
  const table = { head, rows: rows.map((cells) => cells.map(printable)) };
  stdout.write(format === "json" ? jsonText(json) : `${tableText(table)}\n`);
  return exitCodes.done;
}

interface PruneFlags extends RulesetFlags {
  readonly keep: string;
  readonly yes?: boolean;
}

/** Deletes all versions but the newest, after a confirmation; nothing while a hold is on writes to the zone. */
async function pruneVersions(
  { scope, id }: FoundRuleset,
  { keep, yes = false }: PruneFlags,
  session: Session,
): Promise<ExitCode> {
  const { service, host, stop } = session;
  const versions = await service.rulesets.versions(scope, id, stop);
  const old = versions.slice(0, Math.max(0, versions.length - Number(keep)));
  const [first, last] = [old[0]?.version, old.at(-1)?.version];
  if (first === undefined || last === undefined) {
    host.stdout.write(
      `nothing to delete: the ruleset has ${plural(versions.length, "version")}, and --keep is ${keep}\n`,
    );
    return exitCodes.done;
  }
  const holdsNow = await holdsOn(scope.zone, session);
  if (holdsNow === undefined) return exitCodes.invalid;
  const holds = holdsNow();
  if (holds.length > 0) {
    return fail(`nothing was deleted: ${textOf(holds)}`, host, exitCodes.held);
  }
  const what = `${old.length} of ${plural(versions.length, "version")} of ${id} (${first} to ${last})`;
  if (!yes && !(await host.confirm(`Delete ${what}? This cannot be undone.`, stop))) {
    return fail(`nothing was deleted; --yes deletes ${what} without asking`, host, exitCodes.held);
  }
  for (const [done, { version }] of old.entries()) {
    // A freeze can begin, for example while the command waits for an answer or for the request budget.
    const late = holdsNow();
    if (late.length > 0) {
      return fail(`deleted ${done} of ${old.length}: ${textOf(late)}`, host, exitCodes.held);
    }
    await service.pruner.prune(scope, id, version, stop);
  }
  host.stdout.write(`deleted ${what}\n`);
  return exitCodes.done;
}

/** Tells what holds writes to a zone, at each moment; `undefined` if the zone files have errors, which are printed. */
async function holdsOn(
  { id, name }: Zone,
  { config, service, host, stop }: Session,
): Promise<(() => readonly Hold[]) | undefined> {
  const state = await loadDesiredOrPrint(config, host, stop);
  if (state === undefined) return undefined;
  const listing = await service.reader.listZones(stop);
  const fleet = desiredFleet(selectZones, state, joinListings(undefined, listing));
  const declared = fleet.zones.get(name)?.desired;
  const windows = windowsOf(config.windows);
  return () => {
    const now = host.clock.now();
    const isDeclared = declared?.zone.id === id;
    const content = isDeclared ? declared.content : undefined;
    const mode = content?.mode === "observe" ? "observe" : config.mode;
    const { suspension } = content ?? { suspension: undefined };
    const holds = writeHolds({ mode, suspension, freeze: windows.freezeAt(now), now });
    return isDeclared ? holds : [...holds, undeclared(name)];
  };
}

function undeclared(name: string): Hold {
  const message = `the files do not declare ${name}: nothing is written; declare the zone`;
  return { reason: "undeclared", message };
}

function textOf(holds: readonly Hold[]): string {
  return holds.map(({ reason, message }) => `held by ${reason}: ${message}`).join("\n");
}
