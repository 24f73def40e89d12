import type { LiveEntrypoint, LivePolicy } from "../../zone/live-zone.ts";
import { managedPhase } from "../../zone/managed-ruleset.ts";
import type { PartsToRead, ZoneAnswers } from "../../zone/ports.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Zone } from "../../zone/zone.ts";
import { malformedResult } from "../request/answer.ts";
import { get, type Get, type GetCall } from "../request/call.ts";
import { routes } from "../routes.ts";
import { wireCodes } from "../wire.ts";
import { entrypointOf } from "./parse-entrypoint.ts";
import { policiesOf, settingsOf, type LiveSettings } from "./parse-page-shield.ts";
import type { ScoreRules } from "./score-rule.ts";

/** Asks for what is wanted of a zone, one request after the other: the first that fails spares the rest. */
export async function readAnswers(
  send: Get,
  scoreRules: ScoreRules,
  zone: Zone,
  wanted: PartsToRead,
  signal: AbortSignal,
): Promise<ZoneAnswers> {
  const settings = wanted.settings ? await askSettings(send, zone, signal) : undefined;
  const policies = wanted.policies ? await askPolicies(send, zone, signal) : undefined;
  const entrypoint = wanted.rules ? await askEntrypoint(send, zone, signal) : undefined;
  const scoreRule = wanted.scoreRule ? await scoreRules.read(send, zone, signal) : undefined;
  const parts = [settings?.digest, policies?.digest, entrypoint?.digest, JSON.stringify(scoreRule)];
  return {
    digest: parts.join(" "),
    live: () => ({
      zone,
      settings: settings?.understand(),
      policies: policies?.understand(),
      entrypoint: entrypoint?.understand(),
      scoreRule,
    }),
  };
}

/** Reads the Page Shield settings. */
export async function readSettings(
  send: Get,
  zone: Zone,
  signal: AbortSignal,
): Promise<LiveSettings> {
  return (await askSettings(send, zone, signal)).understand();
}

/** Reads all policies; their list has no pages (SERVICE.md A.6). */
export async function readPolicies(
  send: Get,
  zone: Zone,
  signal: AbortSignal,
): Promise<readonly LivePolicy[]> {
  return (await askPolicies(send, zone, signal)).understand();
}

/** Reads the entry point. Only 404 with code 10003 says that there is none (SERVICE.md B.8). */
export async function readEntrypoint(
  send: Get,
  zone: Zone,
  signal: AbortSignal,
): Promise<LiveEntrypoint> {
  return (await askEntrypoint(send, zone, signal)).understand();
}

/** One answer about a zone. */
interface Part<T> {
  readonly digest: string;
  readonly understand: () => T;
}

/** A kind of answer: how it is read, and what to say where it is of another kind. */
interface Kind<T> {
  readonly of: (result: unknown) => T | undefined;
  readonly otherwise: string;
}

async function ask<T>(
  send: Get,
  call: GetCall,
  kind: Kind<T>,
  signal: AbortSignal,
): Promise<Part<T>> {
  const answer = await send(call, signal);
  return {
    digest: answer.digest,
    understand: () => {
      const understood = kind.of(answer.result());
      if (understood === undefined) throw malformedResult(call, answer, kind.otherwise);
      return understood;
    },
  };
}

const settingsKind = { of: settingsOf, otherwise: "a setting is missing" };
const policiesKind = { of: policiesOf, otherwise: "not a list of policies" };
const entrypointKind: Kind<LiveEntrypoint> = {
  of: entrypointOf,
  otherwise: "not a ruleset with rules",
};

function askSettings(send: Get, { id }: Zone, signal: AbortSignal): Promise<Part<LiveSettings>> {
  return ask(send, get(routes.settings, { zone_id: id }), settingsKind, signal);
}

function askPolicies(
  send: Get,
  { id }: Zone,
  signal: AbortSignal,
): Promise<Part<readonly LivePolicy[]>> {
  return ask(send, get(routes.policies, { zone_id: id }), policiesKind, signal);
}

async function askEntrypoint(
  send: Get,
  { id }: Zone,
  signal: AbortSignal,
): Promise<Part<LiveEntrypoint>> {
  const call = get(routes.entrypoint, { zone_id: id, phase_name: managedPhase });
  try {
    return await ask(send, call, entrypointKind, signal);
  } catch (error) {
    if (isAbsence(error)) return { digest: "absent", understand: () => ({ state: "absent" }) };
    throw error;
  }
}

function isAbsence(error: unknown): boolean {
  return (
    error instanceof ServiceError &&
    error.status === 404 &&
    error.wireCodes.includes(wireCodes.noEntrypoint)
  );
}
