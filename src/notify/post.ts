import { request } from "undici";

import type { Message } from "./message.ts";
import type { Posted } from "./outbox.ts";

const timeoutMs = 10_000;

/** Sends a message once, over the network. Where it is sent on to is not followed. */
export async function post(url: string, message: Message, signal: AbortSignal): Promise<Posted> {
  const { statusCode, body } = await request(url, {
    method: "POST",
    headers: message.headers,
    body: message.body,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
  await body.dump();
  return { status: statusCode };
}
