import { isJsonObject, coerceObjects } from "../../syntax/json.ts";
import type { ScoreRule } from "../../zone/live-zone.ts";
import { documentedScoreRuleId, owaspRulesetId } from "../../zone/managed-ruleset.ts";
import type { Clock } from "../../zone/ports.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Zone } from "../../zone/zone.ts";
import { type Get, type GetCall, get } from "../request/call.ts";
import { routes } from "../routes.ts";
import { textIn } from "../wire-value.ts";

/**
 * How long a score rule is believed. The service renews the managed ruleset every few weeks without our doing
 * (SERVICE.md B.7); asking once an hour and account costs less than asking each zone for the version.
 */
const keptMs = 3_600_000;

interface Kept {
  readonly rule: Promise<ScoreRule>;
  readonly readAt: number;
}

/** The score rules of the accounts, each read once and kept for an hour. */
export class ScoreRules {
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Gives the score rule of the zone's account; zones that ask at the same time share the requests. */
  async read(send: Get, zone: Zone, signal: AbortSignal): Promise<ScoreRule> {
    signal.throwIfAborted();
    const kept = this.#kept.get(zone.accountId);
    if (kept !== undefined && this.#clock.monotonicMs() - kept.readAt < keptMs) {
      // What another zone's reading failed of, its signal for one, need not be our failure.
      return (await kept.rule.catch(() => undefined)) ?? this.read(send, zone, signal);
    }
    const rule = readScoreRule(send, zone, signal);
    this.#kept.set(zone.accountId, { rule, readAt: this.#clock.monotonicMs() });
    try {
      return await rule;
    } catch (error) {
      this.#kept.delete(zone.accountId);
      throw error;
    }
  }
}

/** Reads the score rule from the account, then from the zone, else takes the documented one (SERVICE.md B.1, B.6). */
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

/** The last rule (SERVICE.md B.6); `undefined` where the token may not read it there. A failure that passes is an error. */
async function lastRule(
  send: Get,
  call: GetCall,
  source: "account" | "zone",
  signal: AbortSignal,
): Promise<ScoreRule | undefined> {
  try {
    const result = (await send(call, signal)).result();
    if (!isJsonObject(result)) return undefined;
    const id = textIn(coerceObjects(result["rules"]).at(-1) ?? {}, "id");
    return id === "" ? undefined : { id, source, version: textIn(result, "version") };
  } catch (error) {
    if (error instanceof ServiceError && !error.transient) return undefined;
    throw error;
  }
}
