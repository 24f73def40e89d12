import { Token } from "../../src/api/credentials/token.ts";
import { get } from "../../src/api/request/call.ts";
import { routes } from "../../src/api/routes.ts";
import { SimulatedClock } from "./clock.ts";

const parsed = Token.parse("token");
if (parsed === undefined) throw new Error("no token");

/** What an answer is read with. */
export const token: Token = parsed;
export const clock = new SimulatedClock();

/** The request for the settings of a zone. */
export const settings = get(routes.settings, { zone_id: "z" });

/** The body of an answer: a text as it is, anything else as JSON. */
export function bytesOf(body: unknown): Uint8Array {
  return new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body));
}
