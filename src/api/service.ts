import { compareText } from "../syntax/by-text.ts";
import type { LiveZone } from "../zone/live-zone.ts";
import type { LiveReader, PartsToRead, RequestPriority } from "../zone/ports.ts";
import { ServiceError } from "../zone/service-error.ts";
import type { Zone, ZoneListing } from "../zone/zone.ts";
import type { Credential } from "./credentials/credential.ts";
import { verifyToken } from "./credentials/verify-token.ts";
import type { KeptAnswers } from "./read/kept-answers.ts";
import { InventoryReader } from "./read/read-inventory.ts";
import { RulesetReader, VersionPruner } from "./read/read-rulesets.ts";
import { readAnswers, readListed } from "./read/read-zone.ts";
import { ScoreRules } from "./read/score-rule.ts";
import { ZoneLister } from "./read/zone-listing.ts";
import { KnownBodies } from "./request/answer.ts";
import type { Get, Send } from "./request/call.ts";
import type { ServiceConnection } from "./request/client.ts";
import { sendWithRetries, type RetryPolicy, type ServiceSession } from "./request/retry.ts";

export interface ServiceOptions {
  readonly connection: ServiceConnection;
  /** A zone uses the first credential that serves it. */
  readonly credentials: readonly Credential[];
  readonly retry: RetryPolicy;
  /** At least 0, below 1. */
  readonly random: () => number;
}

/** The service, connected with all credentials. */
export interface Service {
  readonly sessions: readonly ServiceSession[];
  readonly scoreRules: ScoreRules;
}

/** Reads the service. It cannot write: planning gets this capability only. */
export interface Reader extends LiveReader {
  /** Lists the zones of all credentials; throws if no credential can list. */
  listZones(signal: AbortSignal): Promise<ZoneListing>;
  /**
   * Verifies each token a few times a day and notes the result on its credential; `zones` name the
   * accounts.
   */
  verifyTokens(zones: readonly Zone[], signal: AbortSignal): Promise<void>;
  /** Reads the parts of a zone and parses them. */
  readZone(
    zone: Zone,
    parts: PartsToRead,
    priority: RequestPriority,
    signal: AbortSignal,
  ): Promise<LiveZone>;
  /** As `readZone`, of zones of which nothing is known: requests only the lists of rules that a zone has. */
  readListed: Reader["readZone"];
  /** The same reader, which takes the parts of zones from `answers`, and adds to them what it requests. */
  keepingIn(answers: KeptAnswers): Reader;
}

/** Connects the parts. Sends nothing. */
export function connectService(options: ServiceOptions): Service {
  const { connection, credentials, retry, random } = options;
  const known = new KnownBodies();
  return {
    sessions: credentials.map((credential) => ({
      connection,
      credential,
      retry,
      random,
      known,
      lister: new ZoneLister(),
    })),
    scoreRules: new ScoreRules(connection.clock),
  };
}

export function createReader(service: Service, kept?: KeptAnswers): Reader {
  const { scoreRules } = service;
  const getFor = (zone: Zone, priority: RequestPriority): Get => {
    const send = sender(sessionOf(service, zone), priority);
    return kept === undefined ? send : kept.through(send);
  };
  const read: Reader["readAnswers"] = async (zone, parts, priority, signal, known) =>
    readAnswers(getFor(zone, priority), scoreRules, zone, parts, signal, known);
  return {
    listZones: (signal) => listAll(service, signal),
    readScripts: async (zone, priority, signal) => {
      const inventory = new InventoryReader(() => sender(sessionOf(service, zone), priority));
      return inventory.listScripts(zone, {}, signal);
    },
    verifyTokens: async (zones, signal) => {
      await Promise.all(
        service.sessions.map(async (session) => {
          const served = zones.find((zone) => session.credential.serves(zone));
          await verifyToken(session, served?.accountId ?? "", signal);
        }),
      );
    },
    readAnswers: read,
    readZone: async (...args) => (await read(...args)).live(),
    readListed: async (zone, parts, priority, signal) =>
      readListed(getFor(zone, priority), scoreRules, zone, parts, signal),
    keepingIn: (answers) => createReader(service, answers),
  };
}

/** The reader of inventories, at the lowest request priority. */
export function createInventory(service: Service): InventoryReader {
  return new InventoryReader((zone) => sender(sessionOf(service, zone), "inventory"));
}

export function createRulesets(service: Service, priority: RequestPriority): RulesetReader {
  return new RulesetReader((zone) => sender(sessionOf(service, zone), priority));
}

export function createPruner(service: Service): VersionPruner {
  return new VersionPruner((zone) => sender(sessionOf(service, zone), "write"));
}

/** Sends the calls of writes until `stop`. Reads that complete a write are not stopped. */
export function writeSender(service: Service) {
  return (zone: Zone, stop?: AbortSignal, beforeAttempt?: () => void): Send => {
    const session = sessionOf(service, zone);
    return (call, signal) =>
      call.method === "GET"
        ? sendWithRetries(session, "write", call, signal)
        : sendWithRetries(session, "write", call, signal, stop, beforeAttempt);
  };
}

/** The credential that serves a zone, if any. */
export function credentialFor({ sessions }: Service, zone: Zone): Credential | undefined {
  return sessions.find(({ credential }) => credential.serves(zone))?.credential;
}

function sender(session: ServiceSession, priority: RequestPriority): Send {
  return (call, signal) => sendWithRetries(session, priority, call, signal);
}

/** The session of the credential that serves a zone. */
export function sessionOf({ sessions }: Service, zone: Zone): ServiceSession {
  const session = sessions.find(({ credential }) => credential.serves(zone));
  if (session !== undefined) return session;
  const message = `${zone.name}: no credential serves this zone; add the zone or its account to a credential under credentials`;
  throw new ServiceError("API_NO_CREDENTIAL", message);
}

async function listAll({ sessions }: Service, signal: AbortSignal): Promise<ZoneListing> {
  const listings = await Promise.all(sessions.map(async (session) => listOne(session, signal)));
  const failed = listings.flatMap((each) => each.failed);
  const [first] = failed;
  if (first !== undefined && failed.length === sessions.length) throw first.error;
  const zones = new Map(listings.flatMap((each) => each.zones).map((zone) => [zone.id, zone]));
  const sorted = [...zones.values()].toSorted(
    (a, b) => compareText(a.name, b.name) || compareText(a.id, b.id),
  );
  return { zones: sorted, failed };
}

async function listOne(session: ServiceSession, signal: AbortSignal): Promise<ZoneListing> {
  const { credential } = session;
  try {
    const zones = await session.lister.list(sender(session, "sweep"), signal);
    return { zones: zones.filter((zone) => credential.serves(zone)), failed: [] };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { zones: [], failed: [{ credential: credential.name, error }] };
  }
}
