import type { Config } from "../../desired/config/config.ts";
import { openHistoryLog } from "../../history/file/history-log.ts";
import { UnstoredLines } from "../../history/file/unstored-lines.ts";
import type { Host } from "../../host/host.ts";
import { readText } from "../../host/named-files.ts";
import { signingKeyOf } from "../../host/signing-keys.ts";
import { version } from "../../host/version.ts";
import { openDatabaseStore } from "../../memory/database-store.ts";
import { identityOf } from "../../memory/state-store.ts";
import { errorText } from "../../syntax/error-code.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { leadDatabase } from "../session/lead-database.ts";

/**
 * `store trim`: drops the oldest lines of the history in the database, which a daemon cannot whose role may not delete. A
 * line says what was dropped, and the chain goes on from it.
 *
 * @param config with the URL of a role that may delete lines.
 */
export async function trimHistory(
  config: Config,
  host: Host,
  stop: AbortSignal,
): Promise<ExitCode> {
  const signKey = await keyOf(config, host);
  if (typeof signKey === "string") return fail(`store trim: history.sign_key: ${signKey}`, host);
  const led = await leadDatabase(config, host, stop, "lease");
  if ("why" in led) {
    const remedy = led.isLedByOther ? ": stop the daemon, and trim again" : "";
    return fail(`store trim: ${led.why}${remedy}`, host);
  }
  await using leading = led;
  const { place, tables } = leading.database;
  const { clock, uniqueId } = host;
  const failures: string[] = [];
  const failed = (error: unknown): void => {
    failures.push(errorText(error));
  };
  await using store = await openDatabaseStore(place, tables, identityOf(config), undefined, {
    clock,
    onFailure: failed,
    onRecovery: () => undefined,
    onLost: failed,
  });
  const { history } = store;
  if (history?.canDrop !== true) {
    return fail(
      "store trim: this role may not drop lines: name the URL of the owner (--url-file, --url-env)",
      host,
    );
  }
  const before = await history.size();
  const opened = await openHistoryLog(
    config.history,
    {
      store: history,
      unstored: new UnstoredLines(),
      clock,
      uniqueId,
      version,
      signKey,
      onDropped: () => undefined,
      onFailure: failed,
      onRecovery: () => undefined,
    },
    () => undefined,
  );
  await opened.log[Symbol.asyncDispose]();
  const [why] = failures;
  if (why !== undefined) return fail(`store trim: nothing was dropped: ${why}`, host);
  const after = await history.size();
  const head = opened.log.head?.hash ?? "";
  host.stdout.write(
    after < before
      ? `${place}: the history had ${before} bytes and has ${after}; its head is ${head}\n`
      : `${place}: no line of the history is older than history.max_age\n`,
  );
  return exitCodes.done;
}

/** The key that signs what is dropped; a message if it cannot be read. */
async function keyOf(
  { history: { signKey } }: Config,
  host: Host,
): Promise<ReturnType<typeof signingKeyOf>["key"] | string> {
  if (signKey === undefined) return undefined;
  const { text, why: unreadable } = await readText(signKey, host);
  if (text === undefined) return unreadable;
  const { key, why } = signingKeyOf(text);
  return key ?? why;
}
