import { isJsonObject, coerceObjects } from "../../syntax/json.ts";
import type { ScoreRule } from "../../zone/live-zone.ts";
import { documentedScoreRuleId, owaspRulesetId } from "../../zone/managed-ruleset.ts";
import type { Clock } from "../../zone/ports.ts";
import { isServiceId } from "../../zone/service-id.ts";
import type { Zone } from "../../zone/zone.ts";
import { type Get, type GetCall, get, unlessRefused } from "../request/call.ts";
import { routes } from "../routes.ts";
import { textIn } from "../wire-value.ts";

/**
 * How long a score rule is cached. The service updates the managed ruleset every few weeks by
 * itself (SERVICE.md B.7); one request per hour and account costs less than reading the version in
 * each zone.
 */
const cacheMs = 3_600_000;

interface Cached {
  readonly rule: Promise<ScoreRule>;
  readonly readAt: number;
}

/** The score rules of the accounts, each cached for an hour. */
export class ScoreRules {
  readonly #clock: Clock;
  readonly #cached = new Map<string, Cached>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The score rule of the zone's account. Concurrent calls share the requests. */
  async read(send: Get, zone: Zone, signal: AbortSignal): Promise<ScoreRule> {
    signal.throwIfAborted();
    const cached = this.#cached.get(zone.accountId);
    if (cached !== undefined && this.#clock.monotonicMs() - cached.readAt < cacheMs) {
      // The failure of a shared request may be due to the other caller, its signal for example.
      return (await cached.rule.catch(() => undefined)) ?? this.read(send, zone, signal);
    }
    const rule = readScoreRule(send, zone, signal);
    this.#cached.set(zone.accountId, { rule, readAt: this.#clock.monotonicMs() });
    try {
      return await rule;
    } catch (error) {
      this.#cached.delete(zone.accountId);
      throw error;
    }
  }
}

/**
 * Reads the score rule from the account, else from the zone, else uses the documented one
 * (SERVICE.md B.1, B.6).
 */
async function readScoreRule(send: Get, zone: Zone, signal: AbortSignal): Promise<ScoreRule> {
  const ruleset_id = owaspRulesetId;
  const inAccount = get(routes.accountRuleset, { account_id: zone.accountId, ruleset_id });
  const inZone = get(routes.zoneRuleset, { zone_id: zone.id, ruleset_id });
  const fromAccount =
    zone.accountId === "" ? undefined : await lastRule(send, inAccount, "account", signal);
  return (
    fromAccount ??
    (await lastRule(send, inZone, "zone", signal)) ?? {
      id: documentedScoreRuleId,
      source: "documented",
      version: "",
    }
  );
}

/**
 * The last rule (SERVICE.md B.6); `undefined` if the token may not read it there. Throws transient
 * errors.
 */
async function lastRule(
  send: Get,
  call: GetCall,
  source: "account" | "zone",
  signal: AbortSignal,
): Promise<ScoreRule | undefined> {
  const result = (await unlessRefused(send(call, signal)))?.result();
  if (!isJsonObject(result)) return undefined;
  const id = textIn(coerceObjects(result["rules"]).at(-1) ?? {}, "id");
  return isServiceId(id) ? { id, source, version: textIn(result, "version") } : undefined;
}
