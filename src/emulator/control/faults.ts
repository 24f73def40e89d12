import { matchesGlob } from "../../syntax/glob.ts";
import type { JsonObject } from "../../syntax/json.ts";
import { unpublishedCodes } from "../http/api-error.ts";
import { type FieldReader, fieldsOf } from "../http/fields.ts";

/** What can go wrong on demand. */
export const faultKinds = [
  "latency",
  "status",
  "lost_request",
  "lost_answer",
  "cut_body",
  "malformed_json",
  "stale",
  "revoked",
] as const;

/** What one request suffers; `undefined` and 0 mean: not this. */
export interface Suffering {
  readonly latencyMs: number;
  readonly status: number | undefined;
  readonly retryAfter: number | undefined;
  /** The connection is closed before anything happened. */
  readonly lostRequest: boolean;
  /** The connection is closed after everything happened. */
  readonly lostAnswer: boolean;
  readonly cutBody: boolean;
  readonly malformedJson: boolean;
  /** How old the state is that a read sees. */
  readonly staleMs: number;
  readonly revoked: boolean;
}

const unharmed: Suffering = {
  latencyMs: 0,
  status: undefined,
  retryAfter: undefined,
  lostRequest: false,
  lostAnswer: false,
  cutBody: false,
  malformedJson: false,
  staleMs: 0,
  revoked: false,
};

/** A fault as it was ordered, with its number and how often it still strikes. */
interface Fault {
  readonly id: number;
  readonly order: JsonObject;
  /** `undefined`: without end. */
  readonly left: number | undefined;
  readonly struck: number;
}

interface ArmedFault {
  readonly order: JsonObject;
  readonly effect: Partial<Suffering>;
  readonly method: string | undefined;
  readonly path: string;
  readonly credential: string | undefined;
  readonly probability: number;
  readonly random: () => number;
  skip: number;
  left: number | undefined;
  struck: number;
}

/** Which request is asked about. */
interface Victim {
  readonly method: string;
  readonly path: string;
  readonly credential: string;
}

/** Holds ordered faults and says what each request suffers from them. */
export class Faults {
  readonly #armed = new Map<number, ArmedFault>();
  #number = 0;

  /** Arms a fault from a control request's body. */
  add(body: JsonObject): Fault {
    const fault = armed(body);
    this.#number += 1;
    this.#armed.set(this.#number, fault);
    return shown(this.#number, fault);
  }

  remove(id: number): boolean {
    return this.#armed.delete(id);
  }

  clear(): void {
    this.#armed.clear();
  }

  list(): readonly Fault[] {
    return [...this.#armed].map(([id, fault]) => shown(id, fault));
  }

  /** What a request suffers; counts are used up by asking. */
  strike(victim: Victim): Suffering {
    if (this.#armed.size === 0) return unharmed;
    let suffering = unharmed;
    for (const fault of this.#armed.values()) {
      if (strikes(fault, victim)) suffering = { ...suffering, ...fault.effect };
    }
    return suffering;
  }
}

function strikes(fault: ArmedFault, { method, path, credential }: Victim): boolean {
  if (fault.left === 0) return false;
  if (fault.method !== undefined && fault.method !== method) return false;
  if (fault.credential !== undefined && fault.credential !== credential) return false;
  if (!matchesGlob(fault.path, path)) return false;
  if (fault.skip > 0) {
    fault.skip -= 1;
    return false;
  }
  if (fault.random() >= fault.probability) return false;
  if (fault.left !== undefined) fault.left -= 1;
  fault.struck += 1;
  return true;
}

function shown(id: number, { order, left, struck }: ArmedFault): Fault {
  return { id, order, left, struck };
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
];

function armed(body: JsonObject): ArmedFault {
  const fields = fieldsOf(body, "", unpublishedCodes.body);
  fields.only(members);
  return {
    order: body,
    effect: effectIn(fields),
    method: fields.text("method")?.toUpperCase(),
    path: fields.text("path") ?? "*",
    credential: fields.text("credential"),
    probability: probabilityIn(fields),
    random: seededRandom(fields.integer("seed") ?? 1),
    skip: naturalIn(fields, "skip") ?? 0,
    left: naturalIn(fields, "count"),
    struck: 0,
  };
}

function effectIn(fields: FieldReader): Partial<Suffering> {
  const kind = fields.required("fault", fields.oneOf("fault", faultKinds));
  const effects: Readonly<Record<string, () => Partial<Suffering>>> = {
    latency: () => ({
      latencyMs: fields.required("milliseconds", naturalIn(fields, "milliseconds")),
    }),
    status: () => ({ status: statusIn(fields), retryAfter: naturalIn(fields, "retry_after") }),
    lost_request: () => ({ lostRequest: true }),
    lost_answer: () => ({ lostAnswer: true }),
    cut_body: () => ({ cutBody: true }),
    malformed_json: () => ({ malformedJson: true }),
    stale: () => ({ staleMs: 1_000 * fields.required("seconds", naturalIn(fields, "seconds")) }),
    revoked: () => ({ revoked: true }),
  };
  return effects[kind]?.() ?? {};
}

function naturalIn(fields: FieldReader, name: string): number | undefined {
  const value = fields.integer(name);
  if (value === undefined || value >= 0) return value;
  throw fields.mistake(name, `${name} must not be negative`);
}

function statusIn(fields: FieldReader): number {
  const status = fields.required("status", fields.integer("status"));
  if (status >= 400 && status <= 599) return status;
  throw fields.mistake("status", "status must be from 400 to 599");
}

function probabilityIn(fields: FieldReader): number {
  const probability = fields.body["probability"] ?? 1;
  if (typeof probability === "number" && probability >= 0 && probability <= 1) return probability;
  throw fields.mistake("probability", "probability must be from 0 to 1");
}

/** Numbers from 0 up to 1 that are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
