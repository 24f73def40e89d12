import { sha256 } from "../../syntax/digest.ts";
import { canonicalJson, isJsonObject } from "../../syntax/json.ts";
import {
  type LiveCustomRuleset,
  type LiveEntrypoint,
  type LivePolicy,
  type LiveZone,
  rulesIn,
  type ScoreRule,
} from "../../zone/live-zone.ts";
import { unmarked } from "../../zone/mark.ts";
import type {
  KnownAnswers,
  PartsToRead,
  ReadTimes,
  RulesetsToRead,
  ZoneAnswers,
} from "../../zone/ports.ts";
import { factsOfPhase, type RulePhase } from "../../zone/rule-phase.ts";
import type { RulesetHead } from "../../zone/ruleset.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { RulesPart } from "../../zone/write.ts";
import type { Zone } from "../../zone/zone.ts";
import { malformedResult } from "../request/answer.ts";
import { type Answer, get, type Get, type GetCall } from "../request/call.ts";
import { routes } from "../routes.ts";
import { textIn } from "../wire-value.ts";
import { wireCodes } from "../wire.ts";
import { customRulesetOf, entrypointOf } from "./parse-entrypoint.ts";
import { policiesOf, settingsOf, type LiveSettings } from "./parse-page-shield.ts";
import { listRulesets } from "./read-rulesets.ts";
import {
  customIn,
  isListed,
  listUnchanged,
  rulesRead,
  versionOfCustom,
  versionOfEntrypoint,
} from "./ruleset-versions.ts";
import type { ScoreRules } from "./score-rule.ts";

/**
 * Requests the parts of a zone one after the other, and stops at the first failure. Rules are not
 * read where the listing shows that the answers are still the `known` ones.
 */
export async function readAnswers(
  send: Get,
  scoreRules: ScoreRules,
  zone: Zone,
  parts: PartsToRead,
  signal: AbortSignal,
  known?: KnownAnswers,
): Promise<ZoneAnswers> {
  const settings = parts.settings ? await requestSettings(send, zone, signal) : undefined;
  const policies = parts.policies ? await requestPolicies(send, zone, signal) : undefined;
  // Cached: to read it twice costs one request.
  const readScoreRule = async (): Promise<ScoreRule | undefined> =>
    parts.scoreRule ? scoreRules.read(send, zone, signal) : undefined;
  const readAt = { settings: settings?.sentAt, policies: policies?.sentAt };
  const digestOf = (
    rules: Iterable<readonly [RulesPart, { readonly digest: string }]>,
    rule: ScoreRule | undefined,
  ): string =>
    [
      settings?.digest,
      policies?.digest,
      ...[...rules].map(([part, { digest }]) => `${part}:${digest}`),
      JSON.stringify(rule),
    ].join(" ");
  if (known && digestOf(known.rules.entrypoints, await readScoreRule()) === known.digest) {
    const listedAt = await listUnchanged(send, zone, known.rules, signal);
    if (listedAt !== undefined) return unread(known, { ...readAt, ...timesOf(parts, listedAt) });
  }
  const entrypoints: (readonly [RulePhase, PartAnswer<LiveEntrypoint>])[] = [];
  for (const phase of parts.rules) {
    entrypoints.push([phase, await requestEntrypoint(send, zone, phase, signal)]);
  }
  const wanted = parts.customRulesets;
  const custom =
    wanted && (await requestCustomRulesets(send, zone, wanted, signal, executedIn(entrypoints)));
  const scoreRule = await readScoreRule();
  const lists = [...entrypoints, ...(custom ? [["custom_rulesets", custom] as const] : [])];
  return {
    readAt: { ...readAt, ...Object.fromEntries(lists.map(([part, { sentAt }]) => [part, sentAt])) },
    digest: digestOf(lists, scoreRule),
    live: () => ({
      zone,
      settings: settings?.parse(),
      policies: policies?.parse(),
      entrypoints: Object.fromEntries(
        entrypoints.map(([phase, { parse }]) => [phase, parse()] as const),
      ),
      customRulesets: custom?.parse(),
      scoreRule,
    }),
    rules: () =>
      rulesRead([
        ...entrypoints.map(([phase, { digest, sentAt, parse }]) => {
          return [phase, { version: versionOfEntrypoint(parse()), digest, sentAt }] as const;
        }),
        ...(custom
          ? [["custom_rulesets", { ...custom, version: versionOfCustom(custom.parse()) }] as const]
          : []),
      ]),
  };
}

/**
 * Reads the parts of a zone of which nothing is known: lists of rules only where the listing of its rulesets names them
 * (SERVICE.md B.1). The others are absent.
 */
export async function readListed(
  send: Get,
  scoreRules: ScoreRules,
  zone: Zone,
  parts: PartsToRead,
  signal: AbortSignal,
): Promise<LiveZone> {
  const scope = { level: "zone", zone } as const;
  const heads = parts.rules.length === 0 ? [] : (await listRulesets(send, scope, signal)).heads;
  const rules = parts.rules.filter((phase) => isListed(heads, phase));
  const scoreRule = parts.scoreRule && rules.includes("managed_rules");
  const customRulesets = customIn(heads).length === 0 ? undefined : parts.customRulesets;
  const listed = { ...parts, rules, customRulesets, scoreRule };
  const live = (await readAnswers(send, scoreRules, zone, listed, signal)).live();
  const unlisted = parts.rules.map((phase) => [phase, { state: "absent" }] as const);
  return {
    ...live,
    entrypoints: { ...Object.fromEntries(unlisted), ...live.entrypoints },
    customRulesets: live.customRulesets ?? (parts.customRulesets && []),
  };
}

/** Answers that are the known ones, though the rules were not read. */
function unread({ digest, rules }: KnownAnswers, readAt: ReadTimes): ZoneAnswers {
  return { readAt, digest, live: failUnread, rules: () => rules };
}

function failUnread(): never {
  throw new Error("the rules were not read, since their plan is known");
}

function timesOf({ rules, customRulesets }: PartsToRead, sentAt: number): ReadTimes {
  const parts: readonly RulesPart[] = customRulesets ? [...rules, "custom_rulesets"] : rules;
  return Object.fromEntries(parts.map((part) => [part, sentAt]));
}

interface PartAnswer<T> {
  /** When its request was sent, by the monotonic clock. */
  readonly sentAt: number;
  readonly digest: string;
  readonly parse: () => T;
}

/** Requests a part. If `parse` fails, the answer is `wrong`. */
async function request<T>(
  send: Get,
  call: GetCall,
  parse: (result: unknown) => T | undefined,
  wrong: string,
  signal: AbortSignal,
): Promise<PartAnswer<T>> {
  const answer = await send(call, signal);
  return {
    sentAt: answer.sentAt,
    digest: answer.digest,
    parse: () => {
      const result = answer.result();
      checkList(call, answer, isJsonObject(result) ? result["rules"] : result);
      const understood = parse(result);
      if (understood === undefined) throw malformedResult(call, answer, wrong);
      return understood;
    },
  };
}

/**
 * More policies or rules of one zone are not planned: no zone needs so many, and time and memory
 * would grow with them.
 */
const maxListed = 10_000;

/**
 * Checks a list that comes without pages. One that contradicts its own counts is cut: taken for the
 * whole, what is missing would be created again.
 */
function checkList(call: GetCall, answer: Answer, list: unknown): void {
  if (!Array.isArray(list)) return;
  const { length } = list;
  if (length > maxListed) {
    throw malformedResult(call, answer, `a list of ${length} exceeds the limit of ${maxListed}`);
  }
  const info = answer.resultInfo() ?? {};
  const counts = ["count", "total_count"].map((name) => textIn(info, name));
  const wrong = counts.find((count) => count !== "" && Number(count) !== length);
  if (wrong !== undefined) {
    const what = `a list of ${length} is said to have ${wrong} entries`;
    throw malformedResult(call, answer, what).with({ transient: true });
  }
}

export function requestSettings(
  send: Get,
  { id }: Zone,
  signal: AbortSignal,
): Promise<PartAnswer<LiveSettings>> {
  const call = get(routes.settings, { zone_id: id });
  return request(send, call, settingsOf, "a setting is missing", signal);
}

/** Requests all policies; the list has no pages (SERVICE.md A.6). */
export function requestPolicies(
  send: Get,
  { id }: Zone,
  signal: AbortSignal,
): Promise<PartAnswer<readonly LivePolicy[]>> {
  const call = get(routes.policies, { zone_id: id });
  return request(send, call, policiesOf, "not a list of policies", signal);
}

/** Requests the entry point of a phase. It is absent only with 404 and code 10003 (SERVICE.md B.8). */
export async function requestEntrypoint(
  send: Get,
  { id }: Zone,
  phase: RulePhase,
  signal: AbortSignal,
): Promise<PartAnswer<LiveEntrypoint>> {
  const call = get(routes.entrypoint, { zone_id: id, phase_name: factsOfPhase(phase).wire });
  try {
    return await request(send, call, entrypointOf, "not a ruleset with rules", signal);
  } catch (error) {
    if (!isAbsence(error)) throw error;
    return { sentAt: error.sentAt, digest: "absent", parse: () => ({ state: "absent" }) };
  }
}

/** The ids of the rulesets that the entry point of custom rules executes. */
function executedIn(
  entrypoints: readonly (readonly [RulePhase, PartAnswer<LiveEntrypoint>])[],
): () => ReadonlySet<string> {
  return () => {
    const found = entrypoints.find(([phase]) => phase === "custom_rules")?.[1].parse();
    const ids = rulesIn(found).map(({ action }) => action.type === "execute" && action.ruleset);
    return new Set(ids.filter((id) => id !== false));
  };
}

/**
 * Lists the custom rulesets of a zone, and reads those that are wanted.
 *
 * @param executed the ids of the rulesets that the zone executes
 */
export async function requestCustomRulesets(
  send: Get,
  zone: Zone,
  wanted: RulesetsToRead,
  signal: AbortSignal,
  executed: () => ReadonlySet<string> = () => new Set(),
): Promise<PartAnswer<readonly LiveCustomRuleset[]>> {
  const { heads, sentAt } = await listRulesets(send, { level: "zone", zone }, signal);
  const custom = customIn(heads);
  const isRead = wantedAmong(custom, wanted, executed);
  const read: (readonly [RulesetHead, PartAnswer<LiveCustomRuleset> | undefined])[] = [];
  for (const head of custom) {
    read.push([head, isRead(head) ? await requestRuleset(send, zone, head.id, signal) : undefined]);
  }
  const digests = read.map(([head, answer]) => [head, answer?.digest ?? ""]);
  return {
    sentAt,
    digest: sha256(canonicalJson(digests)),
    parse: () =>
      read.map(([{ id, version, name, description }, answer]) => {
        return answer?.parse() ?? { id, version, name, description, rules: undefined };
      }),
  };
}

function wantedAmong(
  custom: readonly RulesetHead[],
  wanted: RulesetsToRead,
  executed: () => ReadonlySet<string>,
): (head: RulesetHead) => boolean {
  if ("ids" in wanted) {
    return ({ id, description }) => wanted.ids.includes(id) || description === wanted.description;
  }
  const isOurs = (head: RulesetHead): boolean => unmarked(head.description).owner === wanted.owner;
  const marked = new Set(custom.filter(isOurs).map((head) => unmarked(head.description).key));
  if (wanted.keys !== "any" && wanted.keys.every((key) => marked.has(key))) return isOurs;
  const ids = executed();
  return ({ id, description }) => {
    const { owner } = unmarked(description);
    return owner === wanted.owner || (owner === undefined && ids.has(id));
  };
}

function requestRuleset(
  send: Get,
  { id: zone_id }: Zone,
  ruleset_id: string,
  signal: AbortSignal,
): Promise<PartAnswer<LiveCustomRuleset>> {
  const call = get(routes.zoneRuleset, { zone_id, ruleset_id });
  const parse = (result: unknown): LiveCustomRuleset | undefined => {
    const found = customRulesetOf(result);
    return found?.id === ruleset_id ? found : undefined;
  };
  return request(send, call, parse, "not the ruleset with its rules", signal);
}

function isAbsence(error: unknown): error is ServiceError & { readonly sentAt: number } {
  return (
    error instanceof ServiceError &&
    error.sentAt !== undefined &&
    error.status === 404 &&
    error.wireCodes.includes(wireCodes.noEntrypoint)
  );
}
