import { coerceObject, coerceObjects, coerceText, type JsonObject } from "../../src/syntax/json.ts";
import type { Started } from "./command-line.ts";
import { logged } from "./log-lines.ts";

/** The address of the page of a running daemon, once it listens; ends with a slash. */
export async function pageOf(daemon: Started): Promise<string> {
  return coerceText((await logged(daemon, "zonewarden started"))["page"]);
}

/** Asks a running daemon for a path of its web server, such as `metrics`. */
export async function ask(daemon: Started, path: string): Promise<Response> {
  return fetch(new URL(path, await pageOf(daemon)));
}

/** The text that it answers. */
export async function textFrom(daemon: Started, path: string): Promise<string> {
  return (await ask(daemon, path)).text();
}

/** The JSON object that it answers. */
export async function jsonFrom(daemon: Started, path: string): Promise<JsonObject> {
  return coerceObject(await (await ask(daemon, path)).json());
}

/** Whether there are zones, and each has been run since the start. */
export async function isEveryZoneRun(daemon: Started): Promise<boolean> {
  const zones = coerceObjects((await jsonFrom(daemon, "api/v1/zones"))["zones"]);
  return zones.length > 0 && zones.every(({ last_attempt_at: at }) => typeof at === "string");
}

/** Ends a daemon in order; gives its exit code. */
export async function stop(daemon: Started): Promise<number> {
  daemon.signal("SIGTERM");
  return (await daemon.ended).code;
}
