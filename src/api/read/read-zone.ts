import { isJsonObject } from "../../syntax/json.ts";
import type { LiveEntrypoint, LivePolicy, LiveZone, ScoreRule } from "../../zone/live-zone.ts";
import type { KnownAnswers, PartsToRead, ReadTimes, ZoneAnswers } from "../../zone/ports.ts";
import { factsOf, type RulePhase } from "../../zone/rule-phase.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Zone } from "../../zone/zone.ts";
import { malformedResult } from "../request/answer.ts";
import { type Answer, get, type Get, type GetCall } from "../request/call.ts";
import { routes } from "../routes.ts";
import { textIn } from "../wire-value.ts";
import { wireCodes } from "../wire.ts";
import { entrypointOf } from "./parse-entrypoint.ts";
import { policiesOf, settingsOf, type LiveSettings } from "./parse-page-shield.ts";
import { listRulesets } from "./read-rulesets.ts";
import { isListed, listUnchanged, rulesRead, versionOfEntrypoint } from "./ruleset-versions.ts";
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
    rules: Iterable<readonly [RulePhase, { readonly digest: string }]>,
    rule: ScoreRule | undefined,
  ): string =>
    [
      settings?.digest,
      policies?.digest,
      ...[...rules].map(([phase, { digest }]) => `${phase}:${digest}`),
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
  const scoreRule = await readScoreRule();
  return {
    readAt: {
      ...readAt,
      ...Object.fromEntries(entrypoints.map(([phase, { sentAt }]) => [phase, sentAt])),
    },
    digest: digestOf(entrypoints, scoreRule),
    live: () => ({
      zone,
      settings: settings?.parse(),
      policies: policies?.parse(),
      entrypoints: Object.fromEntries(
        entrypoints.map(([phase, { parse }]) => [phase, parse()] as const),
      ),
      scoreRule,
    }),
    rules: () =>
      rulesRead(
        entrypoints.map(([phase, { digest, sentAt, parse }]) => {
          return [phase, { version: versionOfEntrypoint(parse()), digest, sentAt }];
        }),
      ),
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
  const answers = await readAnswers(send, scoreRules, zone, { ...parts, rules, scoreRule }, signal);
  const live = answers.live();
  const unlisted = parts.rules.map((phase) => [phase, { state: "absent" }] as const);
  return { ...live, entrypoints: { ...Object.fromEntries(unlisted), ...live.entrypoints } };
}

/** Answers that are the known ones, though the rules were not read. */
function unread({ digest, rules }: KnownAnswers, readAt: ReadTimes): ZoneAnswers {
  return { readAt, digest, live: failUnread, rules: () => rules };
}

function failUnread(): never {
  throw new Error("the rules were not read, since their plan is known");
}

function timesOf({ rules }: PartsToRead, sentAt: number): ReadTimes {
  return Object.fromEntries(rules.map((phase) => [phase, sentAt]));
}

/** The answer for one part of a zone. */
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
  const call = get(routes.entrypoint, { zone_id: id, phase_name: factsOf(phase).wire });
  try {
    return await request(send, call, entrypointOf, "not a ruleset with rules", signal);
  } catch (error) {
    if (!isAbsence(error)) throw error;
    return { sentAt: error.sentAt, digest: "absent", parse: () => ({ state: "absent" }) };
  }
}

function isAbsence(error: unknown): error is ServiceError & { readonly sentAt: number } {
  return (
    error instanceof ServiceError &&
    error.sentAt !== undefined &&
    error.status === 404 &&
    error.wireCodes.includes(wireCodes.noEntrypoint)
  );
}
