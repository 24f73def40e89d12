import type { LiveEntrypoint, LivePolicy, LiveZone } from "../zone/live.ts";
import { managedPhase } from "../zone/managed-ruleset.ts";
import type { Zone } from "../zone/zone.ts";
import { malformedResult } from "./answer.ts";
import { ApiError } from "./api-error.ts";
import { get, type Get } from "./call.ts";
import { entrypointOf } from "./entrypoint.ts";
import { policiesOf, settingsOf, type LiveSettings } from "./page-shield.ts";
import { routes } from "./routes.ts";
import type { ScoreRules } from "./score-rule.ts";
import { wireCodes } from "./wire.ts";

/** What is to be read of a zone; what is not wanted costs no request. */
export interface Wanted {
  readonly settings: boolean;
  readonly policies: boolean;
  readonly rules: boolean;
  /** The OWASP score rule; read once per account and kept for a while. */
  readonly scoreRule: boolean;
}

/** Reads what is wanted of a zone, one request after the other: the first that fails spares the rest. */
export async function readZone(
  send: Get,
  scoreRules: ScoreRules,
  zone: Zone,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<LiveZone> {
  return {
    zone,
    settings: wanted.settings ? await readSettings(send, zone, signal) : undefined,
    policies: wanted.policies ? await readPolicies(send, zone, signal) : undefined,
    entrypoint: wanted.rules ? await readEntrypoint(send, zone, signal) : undefined,
    scoreRule: wanted.scoreRule ? await scoreRules.read(send, zone, signal) : undefined,
  };
}

/** Reads the Page Shield settings. */
export async function readSettings(
  send: Get,
  zone: Zone,
  signal: AbortSignal,
): Promise<LiveSettings> {
  const call = get(routes.settings, { zone_id: zone.id });
  const answer = await send(call, signal);
  const settings = settingsOf(answer.result);
  if (settings === undefined) throw malformedResult(call, answer, "a setting is missing");
  return settings;
}

/** Reads all policies; their list has no pages (api-facts A.6). */
export async function readPolicies(
  send: Get,
  zone: Zone,
  signal: AbortSignal,
): Promise<readonly LivePolicy[]> {
  const call = get(routes.policies, { zone_id: zone.id });
  const answer = await send(call, signal);
  const policies = policiesOf(answer.result);
  if (policies === undefined) throw malformedResult(call, answer, "not a list of policies");
  return policies;
}

/** Reads the entry point. Only 404 with code 10003 says that there is none (api-facts B.8, F.3). */
export async function readEntrypoint(
  send: Get,
  zone: Zone,
  signal: AbortSignal,
): Promise<LiveEntrypoint> {
  const call = get(routes.entrypoint, { zone_id: zone.id, phase_name: managedPhase });
  try {
    const answer = await send(call, signal);
    const entrypoint = entrypointOf(answer.result);
    if (entrypoint === undefined) throw malformedResult(call, answer, "not a ruleset with rules");
    return entrypoint;
  } catch (error) {
    if (isAbsence(error)) return { state: "absent" };
    throw error;
  }
}

function isAbsence(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.status === 404 &&
    error.wireCodes.includes(wireCodes.noEntrypoint)
  );
}
