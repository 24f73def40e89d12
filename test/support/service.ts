import type { Dispatcher } from "undici";

import type { BudgetOptions } from "../../src/api/budget/budget.ts";
import { Credential, type CredentialOptions } from "../../src/api/credentials/credential.ts";
import {
  createDispatcher,
  serviceAddress,
  type ServiceConnection,
} from "../../src/api/request/client.ts";
import {
  commandRetry,
  type RetryPolicy,
  type ServiceSession,
} from "../../src/api/request/retry.ts";
import { connectService, type Service } from "../../src/api/service.ts";
import { systemClock } from "../../src/host/clock.ts";
import type { Clock, WriteFence } from "../../src/zone/ports.ts";
import type { ProxySettings } from "../../src/zone/proxy.ts";
import type { RequestObserver, RequestFact, RetryFact } from "../../src/zone/service-request.ts";
import { zoneId, zoneName, type Zone } from "../../src/zone/zone.ts";
import { defaultBudget } from "./budget.ts";

/** A token that must never be seen anywhere but in a request. */
export const plantedToken = "planted-token-4711-do-not-print";

/** A zone of a test. */
export function zone(name = "shop.example.com", changes: Partial<Zone> = {}): Zone {
  const id = zoneId("0123456789abcdef0123456789abcdef");
  const known = zoneName(name);
  if (id === undefined || known === undefined) throw new Error(`${name} is no zone name`);
  return {
    id,
    name: known,
    accountId: "acc1",
    accountName: "Shops",
    status: "active",
    tier: "enterprise",
    ...changes,
  };
}

/** What a test may choose; the rest is as in production, with short waits. */
export interface ServiceChoice {
  readonly clock?: Clock;
  readonly timeoutMs?: number;
  readonly fence?: WriteFence;
  readonly retry?: Partial<RetryPolicy>;
  readonly budget?: Partial<BudgetOptions>;
  /** Omitted: none. */
  readonly proxy?: ProxySettings;
  readonly credentials?: readonly Partial<CredentialOptions>[];
  /** Who hears of the requests, instead of what collects them. */
  readonly observer?: RequestObserver;
}

/** A service on a test's server, with everything that its observer heard. */
export interface TestService extends AsyncDisposable {
  readonly service: Service;
  /** The session of the first credential. */
  readonly session: ServiceSession;
  readonly connection: ServiceConnection;
  readonly requests: readonly RequestFact[];
  readonly retries: readonly RetryFact[];
}

/** Connects to `baseUrl` with the planted token. */
export function connect(baseUrl: string, choice: ServiceChoice = {}): TestService {
  const requests: RequestFact[] = [];
  const retries: RetryFact[] = [];
  const observer = choice.observer ?? {
    request: (fact: RequestFact) => requests.push(fact),
    retry: (fact: RetryFact) => retries.push(fact),
  };
  const clock = choice.clock ?? systemClock;
  const address = serviceAddress(baseUrl);
  const dispatcher: Dispatcher = createDispatcher(8, choice.proxy);
  const timeoutMs = choice.timeoutMs ?? 5_000;
  const { fence } = choice;
  const connection = { address, dispatcher, timeoutMs, clock, observer, fence };
  const retry = { ...commandRetry, firstWaitMs: 2, ...choice.retry };
  const credentials = (choice.credentials ?? [{}]).map(
    (each) => new Credential(credentialOptions(each, choice.budget ?? {}), clock),
  );
  const service = connectService({ connection, credentials, retry, random: () => 0.5 });
  const [session] = service.sessions;
  if (session === undefined) throw new Error("a service needs a credential");
  return {
    service,
    session,
    connection,
    requests,
    retries,
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  };
}

function credentialOptions(
  given: Partial<CredentialOptions>,
  budget: Partial<BudgetOptions>,
): CredentialOptions {
  return {
    name: "main",
    source: { read: () => Promise.resolve(plantedToken) },
    accounts: [],
    zones: [],
    budget: { ...defaultBudget, ...budget },
    ...given,
  };
}
