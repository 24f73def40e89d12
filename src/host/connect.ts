import { createAnalytics } from "../api/analytics-reader.ts";
import { AuditReader } from "../api/audit-reader.ts";
import { Credential, type TokenSource } from "../api/credentials/credential.ts";
import type { InventoryReader } from "../api/read/read-inventory.ts";
import type { RulesetReader, VersionPruner } from "../api/read/read-rulesets.ts";
import { createDispatcher, serviceAddress } from "../api/request/client.ts";
import { commandRetry, type RetryPolicy } from "../api/request/retry.ts";
import {
  connectService,
  createInventory,
  createPruner,
  createReader,
  createRulesets,
  credentialFor,
  type Reader,
  writeSender,
} from "../api/service.ts";
import { createWriter, type Writer } from "../api/write/send-write.ts";
import type { Config, CredentialConfig } from "../desired/config/config.ts";
import type { AskAnalytics, WriteFence } from "../zone/ports.ts";
import { proxyIn } from "../zone/proxy.ts";
import type { RequestObserver } from "../zone/service-request.ts";
import type { Zone } from "../zone/zone.ts";
import type { Host } from "./host.ts";
import { readSecret } from "./secrets.ts";

/** The client of the service. Planning gets only the reader. */
export interface ServiceClient extends AsyncDisposable {
  readonly reader: Reader;
  readonly inventory: InventoryReader;
  readonly audit: AuditReader;
  readonly analytics: AskAnalytics;
  readonly rulesets: RulesetReader;
  /** Sends its requests at the lowest priority. */
  readonly managedRulesets: RulesetReader;
  readonly writer: Writer;
  readonly pruner: VersionPruner;
  readonly credentials: readonly Credential[];
  /** The name of the credential of a zone, "" if there is none. */
  readonly credentialOf: (zone: Zone) => string;
}

/**
 * Creates the client of the configured service. Sends nothing yet.
 *
 * @param fence says whether this process may write; omitted: it works alone.
 * @param open makes the connections: a port, so that a simulation needs no sockets.
 */
export function connect(
  config: Config,
  baseUrl: string,
  host: Host,
  observer: RequestObserver = { request: () => undefined, retry: () => undefined },
  retry: RetryPolicy = commandRetry,
  fence?: WriteFence,
  open: typeof createDispatcher = createDispatcher,
): ServiceClient {
  const { requests, windowMs, reserve } = config.budget;
  const { concurrency, timeoutMs } = config.api;
  const budget = { limit: requests, windowMs, reserve, concurrency, maxWaitMs: windowMs * 3 };
  const credentials = config.credentials.map(
    ({ name, source, accounts, zones }) =>
      new Credential(
        { name, source: tokenSource(source, config, host), accounts, zones, budget },
        host.clock,
      ),
  );
  const address = serviceAddress(baseUrl);
  const dispatcher = open(concurrency * credentials.length, proxyIn(host.env));
  const { clock, random } = host;
  const connection = { address, dispatcher, clock, timeoutMs, observer, fence };
  const service = connectService({ connection, credentials, retry, random });
  return {
    reader: createReader(service),
    inventory: createInventory(service),
    audit: new AuditReader(service),
    analytics: createAnalytics(service),
    rulesets: createRulesets(service, "changed"),
    managedRulesets: createRulesets(service, "inventory"),
    writer: createWriter(writeSender(service)),
    pruner: createPruner(service),
    credentials,
    credentialOf: (zone) => credentialFor(service, zone)?.name ?? "",
    [Symbol.asyncDispose]: () => dispatcher.close(),
  };
}

/** The emulator grants this token all permissions. */
const emulatorToken = "emulator-token";

function tokenSource(source: CredentialConfig["source"], config: Config, host: Host): TokenSource {
  const isEmulated = "env" in source && host.env[source.env] === undefined;
  if (isEmulated && config.api.emulator !== undefined) {
    return { read: () => Promise.resolve(emulatorToken) };
  }
  return { read: () => readSecret(source, host) };
}
