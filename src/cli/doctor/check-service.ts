import { commandRetry, type RetryPolicy } from "../../api/request/retry.ts";
import { forecastOf } from "../../daemon/sweep-schedule.ts";
import type { CredentialConfig } from "../../desired/config/config.ts";
import type { LoadedFiles } from "../../desired/load/zone-file-loader.ts";
import { selectWith } from "../../desired/zones/select.ts";
import { connect, type ServiceClient } from "../../host/connect.ts";
import type { Host } from "../../host/host.ts";
import { readSecret } from "../../host/secrets.ts";
import { checkLimits } from "../../measure/read-counts.ts";
import { type DesiredFleet, desiredFleet } from "../../reconcile/fleet/desired-fleet.ts";
import { startSchedule } from "../../reconcile/schedule/schedule.ts";
import { durationText, plural } from "../../render/format.ts";
import { dayMs } from "../../syntax/time-units.ts";
import { noParts, onlyPart } from "../../zone/ports.ts";
import type { RequestFact } from "../../zone/service-request.ts";
import type { Zone } from "../../zone/zone.ts";
import { exitCodeOfFailure, exitCodes } from "../output/exit-codes.ts";
import { WaitLines } from "../output/progress.ts";
import type { Session } from "../session/session.ts";
import { ofDiagnostics } from "./check-files.ts";
import { checkVersions } from "./check-versions.ts";
import { type CheckFinding, failureOf, finding, fine, skipped } from "./finding.ts";

/** What the checks of the service work with. */
type ConnectedPlace = Omit<Session, "signals">;

type Place = Omit<ConnectedPlace, "service">;

/** Whether the service can be reached, and each token used for what is declared. Sends only GETs. */
export async function checkService(
  state: LoadedFiles,
  place: Place,
): Promise<readonly CheckFinding[]> {
  const { config, baseUrl, host } = place;
  const observer = new CheckObserver(host);
  const listed: Listed[] = [];
  for (const credential of config.credentials) {
    listed.push(await checkToken(credential, place, observer));
  }
  const distinct = new Map(
    listed.flatMap(({ zones = [] }) => zones).map((each) => [each.id, each]),
  );
  const known = {
    zones: [...distinct.values()],
    unlisted: listed.filter(({ zones }) => zones === undefined).map((each) => each.credential),
  };
  const found = [...ofListings(listed, baseUrl), checkClock(observer)];
  if (known.zones.length === 0) return [...found, ...unknownWithoutZones];

  const fleet = desiredFleet(selectWith(config), state, known);
  await using service = connect(config, baseUrl, host, observer, checkRetry);
  using _watch = observer.watch(service.credentials);
  const connected = { ...place, service };
  return [
    ...found,
    ...(await checkPermissions(known.zones, fleet, connected)),
    ...checkZones(fleet, state, host),
    checkBudget(fleet, connected),
    await checkVersions(fleet, connected),
  ];
}

const unknownWithoutZones = [
  skipped("permissions", "no zone is listed"),
  skipped("zones", "no zone is listed"),
  skipped("budget", "no zone is listed"),
  skipped("ruleset_versions", "no zone is listed"),
];

/** One address for all credentials: a failure to reach it is told once. */
function ofListings(listed: readonly Listed[], baseUrl: string): readonly CheckFinding[] {
  const { service: [failure] = [], token = [skipped("token", "the service gives no answer")] } =
    Object.groupBy(
      listed.map(({ found }) => found),
      ({ check }) => (check === "service" ? "service" : "token"),
    );
  const reached =
    failure === undefined
      ? fine("service", `${baseUrl}: answers`)
      : { ...failure, message: `${baseUrl}: ${failure.message}` };
  return [reached, ...token];
}

/** The header has whole seconds, and an answer takes a while. */
const tolerableSkewMs = 30_000;

function checkClock({ leastSkewMs: least }: CheckObserver): CheckFinding {
  if (least === undefined) return skipped("clock", "no answer of the service has a time");
  if (Math.abs(least) <= tolerableSkewMs) return fine("clock", "as that of the service");
  const direction = least > 0 ? "behind" : "ahead of";
  const message = `the clock of this machine is ${durationText(Math.abs(least))} ${direction} that of the service: freeze windows, schedules and the expiry of saved plans are wrong by that time`;
  const remedy = "synchronise the clock (NTP), and check the time zone of the machine";
  return finding("clock", "error", { message, remedy });
}

/** Accounts that are examined at most. */
const maxSamples = 10;

async function checkPermissions(
  zones: readonly Zone[],
  fleet: DesiredFleet,
  place: ConnectedPlace,
): Promise<readonly CheckFinding[]> {
  const samples = new Map<string, Zone>();
  const declared = zones.filter(({ name }) => fleet.zones.has(name));
  for (const zone of [...declared, ...zones]) {
    const key = `${place.service.credentialOf(zone)} ${zone.accountId}`;
    if (!samples.has(key) && samples.size < maxSamples) samples.set(key, zone);
  }
  const found: CheckFinding[] = [];
  for (const zone of samples.values()) found.push(...(await checkZone(zone, place)));
  return found;
}

/** A permission, and a read that needs it. */
interface Attempt {
  readonly permission: string;
  readonly read: () => Promise<unknown>;
  /** What does not work without it, where the rest does. */
  readonly note?: string;
}

function attemptsOn(
  zone: Zone,
  { service: { reader, rulesets, audit, analytics }, config, host, stop }: ConnectedPlace,
): readonly Attempt[] {
  const shield = { ...noParts, settings: true, policies: true };
  const now = host.clock.now();
  const lastMinute = { since: new Date(Number(now) - 60_000), before: now };
  const auditLog: Attempt = {
    permission: "Account Settings: Read",
    read: () => audit.readOf(zone, lastMinute, stop),
    note: "until then, only sweeps find edits by hand",
  };
  const measurements: Attempt = {
    permission: "Analytics: Read",
    read: () => checkLimits(analytics, zone, stop),
    note: "until then, nothing is measured",
  };
  return [
    {
      permission: "Page Shield: Read",
      read: () => reader.readZone(zone, shield, "changed", stop),
    },
    {
      permission: "Zone WAF: Read",
      read: () => reader.readZone(zone, onlyPart("managed_rules"), "changed", stop),
    },
    {
      permission: "Account WAF: Read",
      read: () => rulesets.list({ level: "account", zone }, stop),
      note: "only zonewarden rulesets --account needs it",
    },
    ...(config.audit.follow === undefined ? [] : [auditLog]),
    ...(config.measurements === undefined ? [] : [measurements]),
  ];
}

async function checkZone(zone: Zone, place: ConnectedPlace): Promise<readonly CheckFinding[]> {
  const who = `credential ${place.service.credentialOf(zone)}, ${zone.name}`;
  const granted: string[] = [];
  const found: CheckFinding[] = [];
  for (const { permission, read, note } of attemptsOn(zone, place)) {
    try {
      await read();
      granted.push(permission);
    } catch (error) {
      place.stop.throwIfAborted();
      const failure = failureOf(error);
      const message = `${who}: ${failure.message}`;
      const remedy = note === undefined ? failure.remedy : `${failure.remedy}; ${note}`;
      const status = note === undefined ? "error" : "warning";
      found.push(finding("permissions", status, { ...failure, message, remedy }));
    }
  }
  if (granted.length === 0) return found;
  return [fine("permissions", `${who}: ${granted.join(", ")}`), ...found];
}

function checkZones(fleet: DesiredFleet, state: LoadedFiles, host: Host): readonly CheckFinding[] {
  const found = ofDiagnostics("zones", fleet.diagnostics, state, host);
  if (found.length > 0) return found;
  if (fleet.zones.size === 0) return [skipped("zones", "no zone is declared")];
  return [fine("zones", `${plural(fleet.zones.size, "declared zone")}: all listed`)];
}

/** Whether a sweep ends before the next one is due. */
function checkBudget(fleet: DesiredFleet, { config, service }: ConnectedPlace): CheckFinding {
  if (fleet.zones.size === 0) return skipped("budget", "no zone is declared");
  const declared = [...fleet.zones.values()].map(({ desired }) => desired);
  const { requests, ms } = forecastOf(declared, service, config.api.rulesetVersions);
  using schedule = startSchedule(config.schedule, {
    due: () => undefined,
    missed: () => undefined,
  });
  const gapMs = schedule.intervalSeconds * 1_000;
  const cost = `a sweep costs ${plural(requests, "request")}, about ${durationText(ms)} within the budget`;
  if (ms <= gapMs) return fine("budget", `${cost}; at most ${durationText(gapMs)} between sweeps`);
  const message = `${cost}, and the schedule leaves ${durationText(gapMs)} between sweeps`;
  const remedy =
    "sweep less often (schedule.cron), raise budget.requests if the service allows more, or give parts of the zones to tokens of other users: the limit is per user";
  return finding("budget", "warning", { message, remedy });
}

/** A person waits: what fails is told at once, and a long wait for the rate limit is none. */
const checkRetry: RetryPolicy = {
  ...commandRetry,
  maxAttempts: 2,
  deadlineMs: 5_000,
  rateLimitDeadlineMs: 5_000,
};

/** What a credential lists, and what that shows of its token or of the service. */
interface Listed {
  readonly credential: string;
  /** Left out if the listing failed. */
  readonly zones?: readonly Zone[];
  readonly found: CheckFinding;
}

/** Lists the zones of one credential, and verifies its token. */
async function checkToken(
  config: CredentialConfig,
  { config: all, baseUrl, host, stop }: Place,
  observer: CheckObserver,
): Promise<Listed> {
  const { name: credential } = config;
  const alone = { ...all, credentials: [config] };
  await using client = connect(alone, baseUrl, host, observer, checkRetry);
  using _watch = observer.watch(client.credentials);
  try {
    const { zones } = await client.reader.listZones(stop);
    if (zones.length > 0) await client.reader.verifyTokens(zones, stop);
    return { credential, zones, found: validity(credential, zones.length, client, host) };
  } catch (error) {
    stop.throwIfAborted();
    const { code = "", message, remedy } = failureOf(error);
    const place =
      placeRemedies[code] ??
      (exitCodeOfFailure(code) === exitCodes.unreachable ? remedy : undefined);
    if (place !== undefined) {
      return { credential, found: finding("service", "error", { code, message, remedy: place }) };
    }
    const why = await whyRejected(code, config, client, host, stop);
    const who = `credential ${credential}: `;
    // A message about a missing token names the credential itself.
    const facts = { code, message: message.startsWith(who) ? message : who + message, remedy };
    return { credential, found: finding("token", "error", { ...facts, ...why }) };
  }
}

/** What to do where the address is wrong, or the service has a fault. */
const placeRemedies: Readonly<Record<string, string>> = {
  API_MALFORMED: "check that api.base_url is the service's, and any proxy on the way to it",
  API_NOT_FOUND: "check that api.base_url is the service's: its path ends with /client/v4",
  API_SERVER: "the service has a fault: run zonewarden doctor again after some minutes",
  API_RATE_LIMITED:
    "something else uses the token too: wait some minutes, and lower budget.requests",
};

/** A token that ends sooner is worth a warning. */
const warnedDays = 14;

function validity(
  name: string,
  zones: number,
  { credentials }: ServiceClient,
  host: Host,
): CheckFinding {
  if (zones === 0) {
    const message = `credential ${name}: the service lists no zone for it`;
    const remedy = `give the token the permission Zone: Read for the zones, or correct \`accounts\` and \`zones\` of the credential ${name}`;
    return finding("token", "error", { message, remedy });
  }
  const [credential] = credentials;
  const { valid = true, expiresAt } = credential?.state ?? {};
  if (!valid) {
    const message = `credential ${name}: the service says that the token is not active`;
    const remedy = "enable the token, or create another one";
    return finding("token", "error", { message, remedy });
  }
  const leftMs = Number(expiresAt ?? Infinity) - Number(host.clock.now());
  if (expiresAt !== undefined && leftMs < warnedDays * dayMs) {
    const day = expiresAt.toISOString().slice(0, 10);
    const message = `credential ${name}: the token expires on ${day}`;
    const remedy = "create another token before that day, and put it in the place of this one";
    return finding("token", "warning", { message, remedy });
  }
  const end = expiresAt === undefined ? "" : `, until ${expiresAt.toISOString().slice(0, 10)}`;
  return fine("token", `credential ${name}: valid${end}, lists ${plural(zones, "zone")}`);
}

/** More about a token that is missing or that the service rejects. */
async function whyRejected(
  code: string,
  { name, source }: CredentialConfig,
  { reader, credentials }: ServiceClient,
  host: Host,
  stop: AbortSignal,
): Promise<{ readonly message?: string; readonly remedy?: string }> {
  if (code !== "API_UNAUTHORIZED" && code !== "API_NO_TOKEN") return {};
  const shape = shapeOf(await readSecret(source, host).catch(() => ""));
  if (shape !== undefined) {
    return { message: `credential ${name}: ${shape}`, remedy: "store only the token itself" };
  }
  if (code === "API_NO_TOKEN") {
    const remedy =
      "env" in source
        ? `export ${envShown(source.env)}, or correct token_env of the credential ${name}`
        : `write the token to the file, or correct token_file of the credential ${name}`;
    return { remedy };
  }
  await reader.verifyTokens([], stop).catch(() => undefined);
  const expiresAt = credentials[0]?.state.expiresAt;
  if (expiresAt === undefined || expiresAt > host.clock.now()) return {};
  const day = expiresAt.toISOString().slice(0, 10);
  return {
    message: `credential ${name}: the token expired on ${day}`,
    remedy: "create another token, and put it in the place of this one",
  };
}

/** Somebody may have written the token where the name of its variable belongs. */
function envShown(name: string): string {
  return /^[A-Z][A-Z0-9_]*$/.test(name) ? name : "the variable";
}

/** What is copied along with a token, or stored in its place. The text itself is never shown. */
function shapeOf(text: string): string | undefined {
  if (/^bearer\s/i.test(text)) return "the token begins with the word Bearer";
  if (/^(["']).*\1$/s.test(text)) return "the token is in quotation marks";
  if (/\s/.test(text)) return "the token contains spaces or several lines";
  return undefined;
}

/** Reports waits as other commands do, and notes the time of the service. */
class CheckObserver extends WaitLines {
  readonly #clock: Host["clock"];
  #leastSkewMs: number | undefined;

  constructor(host: Pick<Host, "stderr" | "clock">) {
    super(host);
    this.#clock = host.clock;
  }

  /** How far the clock of the service is ahead of ours, by the answer that shows the least; `undefined` without one. */
  get leastSkewMs(): number | undefined {
    return this.#leastSkewMs;
  }

  override request({ date }: RequestFact): void {
    super.request();
    const skew = Date.parse(date) - Number(this.#clock.now());
    const least = this.#leastSkewMs ?? Infinity;
    if (Math.abs(skew) < Math.abs(least)) this.#leastSkewMs = skew;
  }
}
