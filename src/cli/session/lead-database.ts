import type { Election } from "../../cluster/election.ts";
import type { Config } from "../../desired/config/config.ts";
import type { Host } from "../../host/host.ts";
import type { Database } from "../../memory/database.ts";
import { identityOf } from "../../memory/state-store.ts";
import { errorText } from "../../syntax/error-code.ts";
import { isAborted } from "../../zone/signals.ts";
import { kubernetesOf, leaseDurationOf, sharedStoreOf } from "./shared-store.ts";

/** The database of a configuration, in which only this process writes until it is disposed. */
export interface LedDatabase extends AsyncDisposable {
  readonly database: Database;
  /** Aborts when another process leads. */
  readonly lost: AbortSignal;
}

/** Why this process does not lead. */
export interface NotLed {
  readonly why: string;
  /** Whether another process leads, as far as it is known. */
  readonly isLedByOther: boolean;
  /** The page of the process that leads; "" if that is not known. */
  readonly page: string;
}

/** What is waited for beyond the time of a Lease whose holder is gone. */
const slackMs = 5_000;

/**
 * Leads the processes of a database for the time of a command.
 *
 * @param patience `none`: another leader is not waited for. `lease`: the Lease of one that is gone is waited for.
 */
export async function leadDatabase(
  config: Config,
  host: Host,
  stop: AbortSignal,
  patience: "none" | "lease",
): Promise<LedDatabase | NotLed> {
  await using resources = new AsyncDisposableStack();
  const refused = new AbortController();
  let election: Election | undefined;
  let isLedByOther = false;
  try {
    const kubernetes = await kubernetesOf(config, host);
    if (kubernetes !== undefined) resources.use(kubernetes);
    const shared = sharedStoreOf(config, kubernetes, host);
    if (shared === undefined) return { why: "store.postgres is not set", isLedByOther, page: "" };
    resources.use(shared);
    const { database } = shared;
    ({ election } = shared);
    const { lease } = election;
    const refuse = (why: string): void => refused.abort(why);
    const patienceMs = patience === "none" ? 0 : leaseDurationOf(config) + slackMs;
    const observer = {
      failed: ({ message }: Error) => refuse(message),
      recovered: () => undefined,
      leads: (holder: string) => {
        isLedByOther = true;
        const why = `${holder} holds the Lease ${lease}`;
        if (patienceMs === 0) refuse(why);
        else host.clock.alarm(patienceMs, () => refuse(why));
      },
      foreign: ({ holder }: { readonly holder: string }) =>
        refuse(`another installation (${holder}) uses the Lease ${lease}`),
    };
    await database.tables.check(identityOf(config));
    const storeId = await database.tables.storeId();
    const held = await election.acquire(storeId, observer, AbortSignal.any([stop, refused.signal]));
    resources.use(held);
    const opened = resources.move();
    return { database, lost: held.signal, [Symbol.asyncDispose]: () => opened.disposeAsync() };
  } catch (error) {
    if (isAborted(stop)) throw error;
    const reason: unknown = refused.signal.aborted ? refused.signal.reason : error;
    const why = errorText(reason);
    return { why, isLedByOther, page: election?.view.page ?? "" };
  }
}
