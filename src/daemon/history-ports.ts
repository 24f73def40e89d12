import type { KeyObject } from "node:crypto";

import type { HistoryConfig } from "../desired/config/config.ts";
import type { HeadPorts } from "../history/file/history-heads.ts";
import type { Host } from "../host/host.ts";
import { readText } from "../host/named-files.ts";
import { signingKeyOf } from "../host/signing-keys.ts";
import { type Notification, notificationOfHead } from "../notify/notification.ts";
import type { Logger } from "../telemetry/log/log.ts";

/** Sends the heads of the history file at `path` to the log and to the notifications. */
export function headPortsOf(
  path: string,
  logger: Logger,
  notify: (notification: Notification) => void,
): Pick<HeadPorts, "log" | "notify"> {
  return {
    log: ({ chain, n, hash }, when) =>
      logger.info({ path, when, head: hash, line: n, chain }, "history head"),
    notify: (head, at) => notify(notificationOfHead(head, at)),
  };
}

/** The key that signs the history. If it cannot be read, the log says why, and the history is not signed: runs go on. */
export async function readSignKey(
  { signKey }: HistoryConfig,
  logger: Logger,
  host: Pick<Host, "namedFiles" | "directory">,
): Promise<KeyObject | undefined> {
  if (signKey === undefined) return undefined;
  const { text, why: unreadable } = await readText(signKey, host);
  const { key, why } =
    text === undefined ? { key: undefined, why: unreadable } : signingKeyOf(text);
  if (key === undefined) {
    logger.error({ path: signKey, error: why }, "history is not signed: its key cannot be used");
  }
  return key;
}
