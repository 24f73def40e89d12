import type { Context, Hono } from "hono";

import {
  type RolloutAnswer,
  type RolloutCommand,
  rolloutCommands,
} from "../state/asked-of-rollout.ts";
import type { Asker } from "../state/rollout-turn.ts";
import type { StepEvent } from "../state/step-wait.ts";
import { firstOf } from "../syntax/first-of.ts";
import {
  coerceText,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonOf,
  parseJson,
} from "../syntax/json.ts";
import { isSameOrigin } from "../syntax/request-origin.ts";
import { type ZoneName, zoneName } from "../zone/zone.ts";
import {
  addressOf,
  bearerOf,
  gateAnswers,
  readBody,
  TokenGate,
  type TokenPorts,
} from "./token-gate.ts";

/** The names of all zones of a large fleet need less. */
const maxBodyBytes = 4 * 1024 * 1024;

/** The longest name of a person that is kept. */
const maxNameLength = 100;

/** The longest key of a policy or rule. */
const maxKeyLength = 1_000;

/** A hash is shorter. */
const maxRevisionLength = 200;

/** Status and text of the answers, beside those of the gate. */
const answers = {
  ...gateAnswers,
  wrong_token: { status: 401, text: "wrong token: send the token of rollout.token_file" },
  too_large: { status: 413, text: `the message is longer than ${maxBodyBytes} bytes` },
  bad_message: {
    status: 400,
    text: 'send {"revision": "…", "zones": ["…"], "key": "…", "by": "…"}, each left out or as it is named; only promote takes a key, of zones',
  },
  no_zone: { status: 404, text: "these zones are not declared" },
  done: { status: 200, text: "" },
  as_before: { status: 200, text: "" },
  no_rollout: {
    status: 409,
    text: "no rollout is under way: no zone waits for its wave; for steps, name zones that have some",
  },
  aborted: {
    status: 409,
    text: "the rollout is aborted: change the files, and the next revision begins another one",
  },
  not_listed: { status: 503, text: "the zones are not listed yet: ask again in a minute" },
  not_planned: {
    status: 409,
    text: "no zone that waits was planned yet: ask again in a minute, or name zones",
  },
  other_revision: { status: 409, text: "another revision is active: name that, or none" },
  not_waiting: {
    status: 409,
    text: "these zones wait for no wave, and nothing in them has a next step; see zonewarden rollout status",
  },
  no_steps: {
    status: 409,
    text: "nothing in these zones has steps: declare promote, or name no zones for the waves",
  },
  busy: {
    status: 409,
    text: "this is watched, or not live at its step yet: wait, or promote it first",
  },
  not_begun: {
    status: 503,
    text: "the step did not begin: the store cannot be written, see the log; in zones before this one it did",
  },
  not_stored: {
    status: 503,
    text: "it is done, but not stored, and lost with the process: the store cannot be written, see the log",
  },
} as const;

export type RolloutRequestResult = keyof typeof answers;

/** What a message asks. */
interface Asked extends Pick<Asker, "by"> {
  readonly command: RolloutCommand;
  /** The revision that is meant; "": the active one. */
  readonly revision: string;
}

/** What somebody asked of a rollout, as it is told to the process. */
export type AskedOfRollout = Asked & Asker;

/** A command for a rollout, for the audit log. */
export interface RolloutRequest extends Asker {
  readonly command: RolloutCommand["name"];
  readonly result: RolloutRequestResult;
  /** Why the server has no token; only for `no_token`. */
  readonly error?: string;
}

/** What whoever has the token of the rollout may ask for. */
export interface RolloutEndpoint extends TokenPorts {
  /** Which of the zones are not declared. */
  undeclared(zones: readonly ZoneName[]): readonly ZoneName[];
  /** Does what is asked. Resolves when it is stored, or cannot be. */
  command(asked: AskedOfRollout): Promise<RolloutAnswer | { readonly result: "not_stored" }>;
  /** Called for every request, accepted or not. */
  audit(request: RolloutRequest): void;
}

/** An answer, and what it says beside its text. */
type Answered = Pick<RolloutRequest, "result" | "error"> & {
  readonly zones?: readonly ZoneName[];
  readonly left?: readonly ZoneName[];
  readonly active?: string;
  readonly key?: string;
  readonly steps?: readonly StepEvent[];
};

/** Adds `POST /api/v1/rollout/pause`, `resume`, `promote` and `abort`, each with a bearer token. */
export function addRolloutCommands(
  app: Hono,
  { clock }: { readonly clock: { now(): Date } },
  ports: RolloutEndpoint,
): void {
  const gate = new TokenGate(ports, clock);
  for (const name of rolloutCommands) {
    app.post(`/api/v1/rollout/${name}`, async (c) => {
      const from = addressOf(c);
      const { by = "", ...answered } = await answerTo(name, c, gate, ports);
      const { result, error } = answered;
      ports.audit({ command: name, result, by, from, ...(error === undefined ? {} : { error }) });
      const { status } = answers[result];
      return c.json(status === 200 ? doneJson(answered) : { error: textOf(answered) }, status);
    });
  }
}

async function answerTo(
  name: RolloutCommand["name"],
  c: Context,
  gate: TokenGate,
  ports: RolloutEndpoint,
): Promise<Answered & { readonly by?: string }> {
  if (isSameOrigin((header) => c.req.header(header)) === false) return { result: "foreign_site" };
  const { result, ...why } = await gate.check(c, bearerOf(c));
  if (result !== "accepted") return { result, ...why };
  const bytes = await readBody(c.req.raw, maxBodyBytes);
  if (bytes === "too_large") return { result: bytes };
  const asked = bytes === "unreadable" ? undefined : askedIn(name, bytes.toString());
  if (asked === undefined) return { result: "bad_message" };
  const { command, by } = asked;
  const unknown = ports.undeclared(command.zones);
  if (unknown.length > 0) return { result: "no_zone", zones: unknown, by };
  return { ...(await ports.command({ ...asked, from: addressOf(c) })), by };
}

const keys = new Set(["revision", "zones", "key", "by"]);

/** What a message asks; `undefined` if any part of it is wrong. */
function askedIn(name: RolloutCommand["name"], text: string): Asked | undefined {
  const json = text.trim() === "" ? {} : parseJson(text);
  if (!isJsonObject(json) || Object.keys(json).some((key) => !keys.has(key))) return undefined;
  const revision = textIn(json["revision"], maxRevisionLength);
  const by = textIn(json["by"], maxNameLength);
  const zones = zonesIn(json["zones"] ?? []);
  const key = textIn(json["key"], maxKeyLength);
  if (revision === undefined || by === undefined) return undefined;
  if (key === undefined || zones === undefined) return undefined;
  if (key === "") return { command: { name, zones }, revision, by };
  const isOfZones = name === "promote" && zones.length > 0;
  return isOfZones ? { command: { name, zones, key }, revision, by } : undefined;
}

/** A text that may be left out; `undefined` if it is none, or too long. */
function textIn(json: Json | undefined, longest: number): string | undefined {
  if (json === undefined) return "";
  return typeof json === "string" && json.length <= longest ? json : undefined;
}

/** The zones of a list, each once; `undefined` if it is none, or one of them has no name. */
function zonesIn(json: Json): readonly ZoneName[] | undefined {
  if (!Array.isArray(json)) return undefined;
  const zones = json.flatMap((each) => zoneName(coerceText(each)) ?? []);
  return zones.length === json.length ? [...new Set(zones)] : undefined;
}

function doneJson({ result, zones = [], left = [], steps = [] }: Answered): JsonObject {
  const moved = steps.map(({ zone, key, event, from, to }) => ({ zone, key, event, from, to }));
  return jsonOf({ result, zones, left, steps: moved });
}

/** Names that an answer lists. */
const mostNamed = 5;

function textOf({ result, zones = [], active = "", key = "" }: Answered): string {
  const { text } = answers[result];
  if (active !== "") return `${text}: ${active}`;
  if (key !== "") return `${text}: ${key} of ${firstOf(zones, mostNamed)}`;
  return zones.length === 0 ? text : `${text}: ${firstOf(zones, mostNamed)}`;
}
