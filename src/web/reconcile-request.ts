import type { Context, Hono } from "hono";

import type { Fleet } from "../state/fleet.ts";
import { coerceText, parseJson } from "../syntax/json.ts";
import { isSameOrigin } from "../syntax/request-origin.ts";
import {
  addressOf,
  bearerOf,
  gateAnswers,
  readBody,
  TokenGate,
  type TokenPorts,
} from "./token-gate.ts";

/** Zone and token need less. */
const maxFormBytes = 4_096;
/** What a command stores of the largest fleet needs less. */
const maxMessageBytes = 16 * 1024 * 1024;

/** Status and text of the answer to each result of a request. */
const answers = {
  ...gateAnswers,
  wrong_token: {
    status: 401,
    text: "wrong token: send the token of server.reconcile_token_file or …_env",
  },
  too_large: { status: 413, text: `the form is longer than ${maxFormBytes} bytes` },
  bad_form: { status: 400, text: "the form cannot be read: send zone and token" },
  no_zone: { status: 404, text: "the zone is not declared" },
} as const;

export type ReconcileRequestResult = keyof typeof answers | "accepted";

/** Status and text of the answers to what a command asks to store, beside those to a request. */
const storeAnswers = {
  ...answers,
  stored: { status: 200, text: "stored" },
  too_large: { status: 413, text: `the message is longer than ${maxMessageBytes} bytes` },
  bad_message: { status: 400, text: "the message is not one of this version of zonewarden" },
  busy: { status: 409, text: "a zone is being reconciled: send the message again" },
  not_stored: { status: 503, text: "the store cannot be written: see the log" },
} as const;

export type StoreRequestResult = keyof typeof storeAnswers;

/** What a command asked the daemon to store, for the audit log. */
export interface StoreRequest extends Omit<ReconcileRequest, "result" | "zone"> {
  readonly result: StoreRequestResult;
}

/** A request to reconcile, for the audit log. */
export interface ReconcileRequest {
  readonly result: ReconcileRequestResult;
  /** "" for all zones. */
  readonly zone: string;
  /** Remote address of the socket. */
  readonly from: string;
  /** Why the server has no token; only for `no_token`. */
  readonly error?: string;
}

type StoreResult = Pick<StoreRequest, "result" | "error">;

type Checked = Pick<ReconcileRequest, "result" | "error">;

/** What whoever has the token may ask for. */
export interface ReconcileEndpoint extends TokenPorts {
  /** Requests a reconcile of a declared zone; "" for all. */
  request(zone: string): void;
  /** Called for every request, accepted or not. */
  audit(request: ReconcileRequest): void;
  /** Stores what a command would store itself if no daemon ran, a JSON value. Resolves when it is stored, or is not. */
  store(
    message: unknown,
  ): Promise<
    Extract<StoreRequestResult, "stored" | "bad_message" | "no_zone" | "busy" | "not_stored">
  >;
  /** Called for everything that was to be stored. */
  auditStore(request: StoreRequest): void;
}

/** Longer names are cut in the audit log. */
const maxNameLength = 253;

/**
 * Adds the endpoints for reconcile requests: the form of the pages (`POST /reconcile`), and `POST /api/v1/reconcile`
 * with a bearer token; with the same one, `POST /api/v1/store` takes what commands store. Each request carries the token, so cross-site requests cannot use a session; forms of other
 * sites are rejected nevertheless.
 */
export function addReconcile(
  app: Hono,
  { fleet, clock }: { readonly fleet: () => Fleet; readonly clock: { now(): Date } },
  ports: ReconcileEndpoint,
): void {
  const gate = new TokenGate(ports, clock);
  const check = async (c: Context, token: string, zone: string): Promise<Checked> => {
    const checked = await gate.check(c, token);
    if (checked.result !== "accepted") return checked;
    return { result: zone === "" || fleet().zone(zone) !== undefined ? "accepted" : "no_zone" };
  };
  const handle = (c: Context, zone: string, checked: Checked): void => {
    ports.audit({ ...checked, zone: zone.slice(0, maxNameLength), from: addressOf(c) });
    if (checked.result === "accepted") ports.request(zone);
  };
  const answerForm = (c: Context, zone: string, checked: Checked): Response => {
    handle(c, zone, checked);
    const { result } = checked;
    if (result === "accepted") return c.redirect(zone === "" ? "/" : `/zones/${zone}`, 303);
    return c.text(`${answers[result].text}\n`, answers[result].status);
  };
  app.post("/reconcile", async (c) => {
    if (isSameOrigin((name) => c.req.header(name)) !== true) {
      return answerForm(c, "", { result: "foreign_site" });
    }
    const form = await readForm(c.req.raw);
    if (typeof form === "string") return answerForm(c, "", { result: form });
    const zone = coerceText(form.get("zone"));
    return answerForm(c, zone, await check(c, coerceText(form.get("token")), zone));
  });
  app.post("/api/v1/reconcile", async (c) => {
    const zone = c.req.query("zone") ?? "";
    const checked = await check(c, bearerOf(c), zone);
    handle(c, zone, checked);
    const { result } = checked;
    return result === "accepted"
      ? c.json({ result, zone: zone === "" ? null : zone }, 202)
      : c.json({ error: answers[result].text }, answers[result].status);
  });
  const store = async (c: Context): Promise<StoreResult> => {
    if (isSameOrigin((name) => c.req.header(name)) === false) return { result: "foreign_site" };
    const { result, ...why } = await check(c, bearerOf(c), "");
    if (result !== "accepted") return { result, ...why };
    const bytes = await readBody(c.req.raw, maxMessageBytes);
    if (typeof bytes === "string") return { result: bytes === "too_large" ? bytes : "bad_message" };
    return { result: await ports.store(parseJson(bytes.toString())) };
  };
  app.post("/api/v1/store", async (c) => {
    const request = await store(c);
    ports.auditStore({ ...request, from: addressOf(c) });
    const { status, text } = storeAnswers[request.result];
    return c.json(status === 200 ? { result: text } : { error: text }, status);
  });
}

async function readForm(request: Request): Promise<FormData | "too_large" | "bad_form"> {
  const bytes = await readBody(request, maxFormBytes);
  if (typeof bytes === "string") return bytes === "too_large" ? bytes : "bad_form";
  try {
    return await new Response(bytes, { headers: request.headers }).formData();
  } catch {
    return "bad_form";
  }
}
