import { createHash, timingSafeEqual } from "node:crypto";

import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";

import type { FleetView } from "../state/fleet.ts";
import { coerceText } from "../syntax/json.ts";
import { isSameOrigin } from "../syntax/request-origin.ts";

/** Status and text of the answer to each result of a request. */
const answers = {
  accepted: { status: 202, text: "reconcile requested" },
  wrong_token: {
    status: 401,
    text: "wrong token: send the token of server.reconcile_token_file or …_env",
  },
  foreign_site: {
    status: 403,
    text: "the form of another site is rejected: send the token as Authorization: Bearer",
  },
  too_many: { status: 429, text: "too many wrong tokens: wait a minute" },
  no_zone: { status: 404, text: "the zone is not declared" },
} as const;

export type ReconcileRequestResult = keyof typeof answers;

/** A request to reconcile, for the audit log. */
export interface ReconcileRequest {
  readonly result: ReconcileRequestResult;
  /** "" for all zones. */
  readonly zone: string;
  /** Remote address of the socket. */
  readonly from: string;
}

export interface ReconcileEndpoint {
  /** The token that permits requests; rejects if it cannot be read. */
  token(): Promise<string>;
  /** Requests a reconcile of a declared zone; "" for all. */
  request(zone: string): void;
  /** Called for every request, accepted or not. */
  audit(request: ReconcileRequest): void;
}

/** Longer names are cut in the audit log. */
const maxNameLength = 253;

/** Wrong tokens that are answered in a minute. */
const maxWrong = 10;
const minuteMs = 60_000;

/**
 * Adds the endpoints for reconcile requests: the form of the pages (`POST /reconcile`), and `POST /api/v1/reconcile`
 * with a bearer token. Each request carries the token, so cross-site requests cannot use a session; forms of other
 * sites are rejected nevertheless.
 */
export function addReconcile(
  app: Hono,
  fleet: FleetView,
  clock: { now(): Date },
  ports: ReconcileEndpoint,
): void {
  let wrong: readonly number[] = [];
  const check = async (token: string, zone: string): Promise<ReconcileRequestResult> => {
    const now = Number(clock.now());
    wrong = wrong.filter((at) => now - at < minuteMs);
    if (wrong.length >= maxWrong) return "too_many";
    if (!isEqual(token, await ports.token())) {
      wrong = [...wrong, now];
      return "wrong_token";
    }
    return zone === "" || fleet.zone(zone) !== undefined ? "accepted" : "no_zone";
  };
  const handle = (c: Context, zone: string, result: ReconcileRequestResult): void => {
    const from = getConnInfo(c).remote.address ?? "";
    ports.audit({ result, zone: zone.slice(0, maxNameLength), from });
    if (result === "accepted") ports.request(zone);
  };
  app.use("/reconcile", bodyLimit({ maxSize: 4_096 }));
  app.post("/reconcile", async (c) => {
    const form = await c.req.parseBody();
    const zone = coerceText(form["zone"]);
    const result =
      isSameOrigin((name) => c.req.header(name)) === true
        ? await check(coerceText(form["token"]), zone)
        : "foreign_site";
    handle(c, zone, result);
    if (result === "accepted") return c.redirect(zone === "" ? "/" : `/zones/${zone}`, 303);
    return c.text(`${answers[result].text}\n`, answers[result].status);
  });
  app.post("/api/v1/reconcile", async (c) => {
    const zone = c.req.query("zone") ?? "";
    const [, token = ""] = /^Bearer (\S+)$/i.exec(c.req.header("authorization") ?? "") ?? [];
    const result = await check(token, zone);
    handle(c, zone, result);
    return result === "accepted"
      ? c.json({ result, zone: zone === "" ? null : zone }, 202)
      : c.json({ error: answers[result].text }, answers[result].status);
  });
}

/** Compares in constant time, independent of the length of the expected token. */
function isEqual(given: string, right: string): boolean {
  return right !== "" && timingSafeEqual(digest(given), digest(right));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
