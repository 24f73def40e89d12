import type { RulesetScope } from "../../api/read/read-rulesets.ts";
import type { Host } from "../../host/host.ts";
import { plural, printable, valueText } from "../../render/format.ts";
import type { Table } from "../../render/inventory-formats.ts";
import { type RuleDiff, rulesetDiff } from "../../render/ruleset-diff.ts";
import type { JsonObject } from "../../syntax/json.ts";
import { managedPhase, rulesetIdOf } from "../../zone/managed-ruleset.ts";
import type { Ruleset, RulesetHead, RulesetRule } from "../../zone/ruleset.ts";
import { type ExitCode, exitCodes } from "../output/exit-codes.ts";
import { tableText } from "../output/table.ts";
import { wantedZones } from "../session/listing.ts";
import { type Session, withService } from "../session/session.ts";

/** What the command line says, as commander gives it. */
export interface RulesetFlags {
  readonly config: string;
  readonly format: "text" | "json";
  readonly account?: boolean;
}

/** Which rulesets are meant. */
export interface RulesetQuestion extends RulesetFlags {
  readonly zone: string;
  /** An id, a phase, a short name, or a name that only one ruleset has; "" where none is asked for. */
  readonly ruleset: string;
}

/** What `rulesets show` is told. */
export interface ShowQuestion extends RulesetQuestion {
  readonly rulesetVersion?: string;
  readonly tag?: string;
}

/** What `rulesets diff` is told; `undefined`: the newest version. */
export interface DiffQuestion extends RulesetQuestion {
  readonly version: string;
  readonly other: string | undefined;
}

/** A ruleset that was found. */
export interface Found {
  readonly scope: RulesetScope;
  readonly id: string;
}

/** `zonewarden rulesets list`. */
export async function listCommand(question: RulesetQuestion, host: Host): Promise<ExitCode> {
  return withScope(question, host, async (scope, { service, stop }) => {
    const heads = await service.rulesets.list(scope, stop);
    print(question, heads.map(headJson), headTable(heads), host);
    return exitCodes.done;
  });
}

/** `zonewarden rulesets show`. */
export async function showCommand(question: ShowQuestion, host: Host): Promise<ExitCode> {
  const { rulesetVersion, tag } = question;
  return withRuleset(question, host, async ({ scope, id }, { service, stop }) => {
    const ruleset = await service.rulesets.read(scope, id, rulesetVersion, stop);
    const rules = ruleset.rules.filter(
      ({ categories }) => tag === undefined || categories.includes(tag),
    );
    if (question.format === "text") host.stdout.write(`${headText(ruleset, rules.length)}\n\n`);
    const json = { ...headJson(ruleset), rules: rules.map(({ wire }) => wire) };
    print(question, json, ruleTable(rules), host);
    return exitCodes.done;
  });
}

/** `zonewarden rulesets versions`. */
export async function versionsCommand(question: RulesetQuestion, host: Host): Promise<ExitCode> {
  return withRuleset(question, host, async ({ scope, id }, { service, stop }) => {
    const heads = await service.rulesets.versions(scope, id, stop);
    const rows = heads.map(({ version, lastUpdated, description }) => [
      version,
      lastUpdated,
      printable(description),
    ]);
    const table = { head: ["version", "last updated", "description"], rows };
    print(question, heads.map(headJson), table, host);
    return exitCodes.done;
  });
}

/** `zonewarden rulesets diff`. */
export async function diffCommand(question: DiffQuestion, host: Host): Promise<ExitCode> {
  const { version, other } = question;
  return withRuleset(question, host, async ({ scope, id }, { service, stop }) => {
    const before = await service.rulesets.read(scope, id, version, stop);
    const after = await service.rulesets.read(scope, id, other, stop);
    const diffs = rulesetDiff(before, after);
    if (question.format === "json") {
      const changes = diffs.map(diffJson);
      const json = { ruleset: id, before: before.version, after: after.version, changes };
      host.stdout.write(`${JSON.stringify(json, null, 2)}\n`);
      return exitCodes.done;
    }
    const head = `version ${before.version} → ${after.version}: ${diffs.length === 0 ? "no rule differs" : plural(diffs.length, "difference")}`;
    host.stdout.write(`${[head, ...diffs.flatMap(diffLines)].join("\n")}\n`);
    return exitCodes.done;
  });
}

/** Finds the zone that a question names and does what is asked with its rulesets or its account's. */
async function withScope(
  { config, zone, account }: RulesetQuestion,
  host: Host,
  work: (scope: RulesetScope, session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withService(config, host, async (session) => {
    const { zones } = await wantedZones([zone], session);
    const [found, ...more] = zones;
    if (found === undefined) return exitCodes.failed;
    if (more.length > 0) {
      host.stderr.write(`${zone}: ${more.length + 1} zones fit; name one, or give its id\n`);
      return exitCodes.failed;
    }
    return work({ level: account === true ? "account" : "zone", zone: found }, session);
  });
}

/** Finds the ruleset that a question names. */
export async function withRuleset(
  question: RulesetQuestion,
  host: Host,
  work: (found: Found, session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withScope(question, host, async (scope, session) => {
    const id = await idOf(question.ruleset, scope, session);
    if (id !== undefined) return work({ scope, id }, session);
    const where = scope.level === "zone" ? scope.zone.name : `the account of ${scope.zone.name}`;
    host.stderr.write(
      `${where} has no ruleset "${question.ruleset}": zonewarden rulesets list shows all\n`,
    );
    return exitCodes.failed;
  });
}

async function idOf(
  name: string,
  scope: RulesetScope,
  { service, stop }: Session,
): Promise<string | undefined> {
  if (/^[0-9a-f]{32}$/.test(name)) return name;
  const managed = rulesetIdOf(name);
  if (managed !== undefined) return managed;
  const phase = name === "entrypoint" ? managedPhase : name;
  const kind = scope.level === "zone" ? "zone" : "root";
  const heads = await service.rulesets.list(scope, stop);
  const entrypoint = heads.find((head) => head.phase === phase && head.kind === kind);
  if (entrypoint !== undefined) return entrypoint.id;
  const [called, ...others] = heads.filter((head) => head.name === name);
  return others.length === 0 ? called?.id : undefined;
}

function print(
  { format }: RulesetQuestion,
  json: JsonObject | readonly JsonObject[],
  table: Table,
  { stdout }: Host,
): void {
  stdout.write(format === "json" ? `${JSON.stringify(json, null, 2)}\n` : `${tableText(table)}\n`);
}

function headJson({
  id,
  name,
  description,
  kind,
  phase,
  version,
  lastUpdated,
}: RulesetHead): JsonObject {
  return { id, name, description, kind, phase, version, last_updated: lastUpdated };
}

function headTable(heads: readonly RulesetHead[]): Table {
  return {
    head: ["name", "kind", "phase", "version", "id"],
    rows: heads.map(({ name, kind, phase, version, id }) =>
      [name, kind, phase, version, id].map(printable),
    ),
  };
}

function headText({ name, id, version, phase, rules }: Ruleset, shown: number): string {
  const all = plural(rules.length, "rule");
  const count = shown === rules.length ? all : `${shown} of ${all}`;
  return printable(`${name}, version ${version}, ${phase}, ${count} (${id})`);
}

function ruleTable(rules: readonly RulesetRule[]): Table {
  return {
    head: ["description", "action", "enabled", "categories or expression", "id"],
    rows: rules.map((rule) =>
      [
        rule.description,
        rule.action,
        rule.enabled ? "yes" : "no",
        rule.categories.length > 0 ? rule.categories.join(" ") : rule.expression,
        rule.id,
      ].map(printable),
    ),
  };
}

const diffSigns = { added: "+", removed: "-", changed: "~", moved: "⇅" } as const;

function diffLines({ verb, rule, place, fields }: RuleDiff): readonly string[] {
  const name = rule.description === "" ? rule.ref : rule.description;
  return [
    `  ${diffSigns[verb]} ${verb}, place ${place}: ${printable(name)} (${rule.id})`,
    ...fields.map(
      ({ field, before, after }) => `      ${field}: ${valueText(before)} → ${valueText(after)}`,
    ),
  ];
}

function diffJson({ verb, rule, place, fields }: RuleDiff): JsonObject {
  return {
    verb,
    place,
    rule: rule.wire,
    fields: fields.map(({ field, before = null, after = null }) => ({ field, before, after })),
  };
}
