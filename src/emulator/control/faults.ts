import type { GraphQLError } from "graphql";

import { matchesGlob } from "../../syntax/glob.ts";
import type { JsonObject } from "../../syntax/json.ts";
import { analyticsError } from "../analytics/analytics-error.ts";
import type { AuditEffects } from "../audit/audit-log.ts";
import { unpublishedCodes } from "../http/api-error.ts";
import { FieldReader } from "../http/fields.ts";

/** What injected faults do to one request; absent members: nothing. */
export interface FaultEffects {
  readonly latencyMs?: number;
  readonly status?: number;
  readonly retryAfter?: number | undefined;
  /** The connection is closed before the request is handled. */
  readonly lostRequest?: boolean;
  /** The connection is closed after the request was handled. */
  readonly lostAnswer?: boolean;
  readonly cutBody?: boolean;
  readonly malformedJson?: boolean;
  /** Age of the state that a read returns. */
  readonly staleMs?: number;
  readonly revoked?: boolean;
  /** The credential lacks the permission. */
  readonly denied?: boolean;
  readonly analytics?: AnalyticsEffects;
}

/** What injected faults do to a query of the analytics. */
export interface AnalyticsEffects {
  /** Age of the newest events that datasets have. */
  readonly lateMs?: number;
  /** Index of a zone whose datasets fail, while those of the others do not. */
  readonly failedZone?: number;
  /** The whole document fails. */
  readonly error?: GraphQLError;
}

/** A fault as the control API returns it. */
interface ListedFault {
  readonly id: number;
  /** The body of the request that injected it. */
  readonly spec: JsonObject;
  /** How many requests it will still hit; `undefined`: no limit. */
  remaining: number | undefined;
  hits: number;
}

/** What a fault does to an entry of the audit log, given a random number from 0 up to 1. */
type AuditEffectOf = (random: number) => AuditEffects;

interface Fault extends ListedFault {
  /** What it does to the requests that it hits, or to the audit log's entries of writes. */
  readonly effect: FaultEffects | AuditEffectOf;
  readonly method: string | undefined;
  readonly path: string;
  readonly credential: string | undefined;
  readonly probability: number;
  readonly random: () => number;
  skip: number;
}

interface FaultTarget {
  readonly method: string;
  readonly path: string;
  readonly credential: string;
}

export class Faults {
  readonly #faults = new Map<number, Fault>();
  #lastId = 0;

  /** Injects the fault that the body of a control request describes. */
  add(body: JsonObject): ListedFault {
    this.#lastId += 1;
    const fault = parseFault(this.#lastId, body);
    this.#faults.set(fault.id, fault);
    return listed(fault);
  }

  remove(id: number): boolean {
    return this.#faults.delete(id);
  }

  clear(): void {
    this.#faults.clear();
  }

  list(): readonly ListedFault[] {
    return [...this.#faults.values()].map(listed);
  }

  /** The effects on a request; it counts as a hit of each fault that affects it. */
  effectsOn(target: FaultTarget): FaultEffects {
    let effects: FaultEffects = {};
    for (const fault of this.#faults.values()) {
      if (typeof fault.effect === "function" || !hits(fault, target)) continue;
      const analytics = { ...effects.analytics, ...fault.effect.analytics };
      effects = { ...effects, ...fault.effect, analytics };
    }
    return effects;
  }

  /**
   * The effects on the audit log's entry of a write; `credential` is the token's name or the
   * person's e-mail address.
   */
  auditEffectsOn(write: FaultTarget): AuditEffects {
    let effects: AuditEffects = {};
    for (const fault of this.#faults.values()) {
      if (typeof fault.effect !== "function" || !hits(fault, write)) continue;
      effects = { ...effects, ...fault.effect(fault.random()) };
    }
    return effects;
  }
}

function hits(fault: Fault, { method, path, credential }: FaultTarget): boolean {
  if (fault.remaining === 0) return false;
  if (fault.method !== undefined && fault.method !== method) return false;
  if (fault.credential !== undefined && fault.credential !== credential) return false;
  if (!matchesGlob(fault.path, path)) return false;
  if (fault.skip > 0) {
    fault.skip -= 1;
    return false;
  }
  if (fault.random() >= fault.probability) return false;
  if (fault.remaining !== undefined) fault.remaining -= 1;
  fault.hits += 1;
  return true;
}

function listed({ id, spec, remaining, hits: count }: Fault): ListedFault {
  return { id, spec, remaining, hits: count };
}

const members = [
  "fault",
  "method",
  "path",
  "credential",
  "skip",
  "count",
  "probability",
  "seed",
  "milliseconds",
  "status",
  "retry_after",
  "seconds",
  "message",
  "code",
  "zone",
];

function parseFault(id: number, body: JsonObject): Fault {
  const fields = new FieldReader(body, "", unpublishedCodes.body);
  fields.only(members);
  const kind = fields.required("fault", fields.oneOf("fault", faultKinds));
  return {
    id,
    spec: body,
    effect: fields.required("fault", effects[kind])(fields),
    method: fields.text("method")?.toUpperCase(),
    path: fields.text("path") ?? "*",
    credential: fields.text("credential"),
    probability: probabilityIn(fields),
    random: seededRandom(fields.integer("seed") ?? 1),
    skip: fields.integer("skip", 0) ?? 0,
    remaining: fields.integer("count", 0),
    hits: 0,
  };
}

/** The effect of each fault, from the members that it needs. */
const effects: Readonly<Record<string, (fields: FieldReader) => Fault["effect"]>> = {
  latency: (fields) => ({
    latencyMs: fields.required("milliseconds", fields.integer("milliseconds", 0)),
  }),
  status: (fields) => ({
    status: fields.required("status", fields.integer("status", 400, 599)),
    retryAfter: fields.integer("retry_after", 0),
  }),
  lost_request: () => ({ lostRequest: true }),
  lost_answer: () => ({ lostAnswer: true }),
  cut_body: () => ({ cutBody: true }),
  malformed_json: () => ({ malformedJson: true }),
  stale: (fields) => ({ staleMs: secondsIn(fields) }),
  revoked: () => ({ revoked: true }),
  denied: () => ({ denied: true }),
  analytics_late: (fields) => ({ analytics: { lateMs: secondsIn(fields) } }),
  analytics_partial: (fields) => ({
    analytics: { failedZone: fields.required("zone", fields.integer("zone", 0)) },
  }),
  analytics_error: (fields) => ({
    analytics: {
      error: analyticsError(
        fields.integer("status", 400, 599) ?? 500,
        fields.required("message", fields.text("message")),
        fields.text("code"),
      ),
    },
  }),
  audit_late: (fields) => {
    const lateMs = secondsIn(fields);
    return () => ({ lateMs });
  },
  audit_shuffled: (fields) => {
    const mostMs = secondsIn(fields);
    return (random) => ({ lateMs: Math.floor(random * mostMs) });
  },
  audit_lost: () => () => ({ lost: true }),
  audit_duplicated: () => () => ({ duplicated: true }),
};

export const faultKinds: readonly string[] = Object.keys(effects);

/** The member `seconds`, in milliseconds. */
function secondsIn(fields: FieldReader): number {
  return 1_000 * fields.required("seconds", fields.integer("seconds", 0));
}

function probabilityIn(fields: FieldReader): number {
  const probability = fields.body["probability"] ?? 1;
  if (typeof probability === "number" && probability >= 0 && probability <= 1) return probability;
  throw fields.error("probability", "probability must be from 0 to 1");
}

/** Numbers from 0 up to 1 that depend on the seed alone (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
