import { createHash, timingSafeEqual } from "node:crypto";

import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";

import type { FleetView } from "../state/fleet.ts";

/** What became of somebody's wish to have zones looked at now. */
export type ReconcileRequestResult =
  | "accepted"
  | "wrong_token"
  | "foreign_site"
  | "too_many"
  | "no_zone";

/** One such wish, for the log. */
export interface RequestReconcile {
  readonly result: ReconcileRequestResult;
  /** "" for all zones. */
  readonly zone: string;
  /** Address that it came from, as the socket has it. */
  readonly from: string;
}

/** How people ask for a look now, and who hears of it. */
export interface ReconcileEndpoint {
  /** The token that lets them; rejects where it cannot be read. */
  token(): Promise<string>;
  /** Asks to look at a declared zone; "" for all. */
  wake(zone: string): void;
  /** Hears of every wish, granted or not. */
  audit(ask: RequestReconcile): void;
}

const statuses = {
  accepted: 202,
  wrong_token: 401,
  foreign_site: 403,
  too_many: 429,
  no_zone: 404,
} as const satisfies Readonly<Record<ReconcileRequestResult, number>>;

const words: Readonly<Record<ReconcileRequestResult, string>> = {
  accepted: "asked to look",
  wrong_token: "this is not the token that server.reconcile_token_file or …_env names",
  foreign_site:
    "a form is taken from these pages alone; other programs send the token as Authorization: Bearer",
  too_many: "too many wrong tokens; wait a minute",
  no_zone: "no zone of that name is declared",
};

/** What is longer is no zone, and no business of the log. */
const longestName = 253;

/** Wrong tokens that are answered within a minute. */
const mostWrong = 10;
const minuteMs = 60_000;

/**
 * Takes wishes to look now: from a form of these pages (`POST /reconcile`), and from other programs with the token as
 * bearer (`POST /api/v1/reconcile`). Nothing lets in but the token that comes along, so there is nothing that a
 * foreign page could ride on; forms are taken from our own pages all the same.
 */
export function addReconcile(
  app: Hono,
  fleet: FleetView,
  clock: { now(): Date },
  ports: ReconcileEndpoint,
): void {
  let wrong: readonly number[] = [];
  const judge = async (token: string, zone: string): Promise<ReconcileRequestResult> => {
    const now = Number(clock.now());
    wrong = wrong.filter((at) => now - at < minuteMs);
    if (wrong.length >= mostWrong) return "too_many";
    if (!isSame(token, await ports.token())) {
      wrong = [...wrong, now];
      return "wrong_token";
    }
    return zone === "" || fleet.zone(zone) !== undefined ? "accepted" : "no_zone";
  };
  const take = (c: Context, zone: string, result: ReconcileRequestResult): void => {
    ports.audit({ result, zone: zone.slice(0, longestName), from: addressOf(c) });
    if (result === "accepted") ports.wake(zone);
  };
  app.use("/reconcile", bodyLimit({ maxSize: 4_096 }));
  app.post("/reconcile", async (c) => {
    const form = await c.req.parseBody();
    const zone = textIn(form["zone"]);
    const result = isOwnForm(c) ? await judge(textIn(form["token"]), zone) : "foreign_site";
    take(c, zone, result);
    if (result === "accepted") return c.redirect(zone === "" ? "/" : `/zones/${zone}`, 303);
    return c.text(`${words[result]}\n`, statuses[result]);
  });
  app.post("/api/v1/reconcile", async (c) => {
    const zone = c.req.query("zone") ?? "";
    const [, token = ""] = /^Bearer (\S+)$/i.exec(c.req.header("authorization") ?? "") ?? [];
    const result = await judge(token, zone);
    take(c, zone, result);
    return result === "accepted"
      ? c.json({ result, zone: zone === "" ? null : zone }, 202)
      : c.json({ error: words[result] }, statuses[result]);
  });
}

/** Compares in a time that tells nothing of where they differ, nor of how long the right one is. */
function isSame(given: string, right: string): boolean {
  return right !== "" && timingSafeEqual(digest(given), digest(right));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Browsers say where a form stands, and no page can make them lie. */
function isOwnForm(c: Context): boolean {
  const site = c.req.header("sec-fetch-site");
  if (site !== undefined) return site === "same-origin";
  const origin = c.req.header("origin") ?? "";
  return URL.canParse(origin) && new URL(origin).host === c.req.header("host");
}

function addressOf(c: Context): string {
  return getConnInfo(c).remote.address ?? "";
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}
