import { forecastOf } from "../../daemon/sweep-schedule.ts";
import type { LoadedFiles } from "../../desired/load/zone-file-loader.ts";
import { selectWith } from "../../desired/zones/select.ts";
import { connect, type ServiceClient } from "../../host/connect.ts";
import type { Host } from "../../host/host.ts";
import { type DesiredFleet, desiredFleet } from "../../reconcile/fleet/desired-fleet.ts";
import { startSchedule } from "../../reconcile/schedule/schedule.ts";
import { durationText, plural } from "../../render/format.ts";
import type { PartsToRead } from "../../zone/ports.ts";
import type { Zone } from "../../zone/zone.ts";
import { ofDiagnostics } from "./check-files.ts";
import { CheckObserver } from "./check-observer.ts";
import { checkRetry, checkToken, type Listed, type ServicePlace } from "./check-token.ts";
import { failureOf, fine, type CheckFinding, finding, skipped } from "./finding.ts";

/** Whether the service can be reached, and each token used for what is declared. Sends only GETs. */
export async function checkService(
  state: LoadedFiles,
  place: ServicePlace,
  stop: AbortSignal,
): Promise<readonly CheckFinding[]> {
  const { config, baseUrl, host } = place;
  const observer = new CheckObserver(host);
  const listed: Listed[] = [];
  for (const credential of config.credentials) {
    listed.push(await checkToken(credential, place, observer, stop));
  }
  const known = {
    zones: distinct(listed.flatMap(({ zones }) => zones ?? [])),
    unlisted: listed.filter(({ zones }) => zones === undefined).map((each) => each.credential),
  };
  const found = [...reached(listed, baseUrl), ...ofListings(listed), ...checkClock(observer)];
  if (known.zones.length === 0) return [...found, ...unknownWithoutZones];

  const fleet = desiredFleet(selectWith(config.lint), state, known);
  await using client = connect(config, baseUrl, host, observer, checkRetry);
  using _watch = observer.watch(client.credentials);
  const permissions = await checkPermissions(known.zones, fleet, client, place, stop);
  return [
    ...found,
    ...permissions,
    ...checkZones(fleet, state, host),
    checkBudget(fleet, client, place),
  ];
}

const unknownWithoutZones = [
  skipped("permissions", "no zone is listed"),
  skipped("zones", "no zone is listed"),
  skipped("budget", "no zone is listed"),
];

/** One address for all credentials: a failure to reach it is told once. */
function reached(listed: readonly Listed[], baseUrl: string): readonly CheckFinding[] {
  const [failure] = listed
    .flatMap(({ findings }) => findings)
    .filter(({ check }) => check === "service");
  if (failure === undefined) return [fine("service", `${baseUrl}: answers`)];
  return [{ ...failure, message: `${baseUrl}: ${failure.message}` }];
}

function ofListings(listed: readonly Listed[]): readonly CheckFinding[] {
  const found = listed.flatMap(({ findings }) =>
    findings.filter((each) => each.check !== "service"),
  );
  return found.length > 0 ? found : [skipped("token", "the service gives no answer")];
}

function distinct(zones: readonly Zone[]): readonly Zone[] {
  return [...new Map(zones.map((zone) => [zone.id, zone])).values()];
}

/** The header has whole seconds, and an answer takes a while. */
const tolerableSkewMs = 30_000;

function checkClock({ leastSkewMs: least }: CheckObserver): readonly CheckFinding[] {
  if (least === undefined) return [skipped("clock", "no answer of the service has a time")];
  if (Math.abs(least) <= tolerableSkewMs) return [fine("clock", "as that of the service")];
  const direction = least > 0 ? "behind" : "ahead of";
  const message = `the clock of this machine is ${durationText(Math.abs(least))} ${direction} that of the service: freeze windows, schedules and the expiry of saved plans are wrong by that time`;
  const remedy = "synchronise the clock (NTP), and check the time zone of the machine";
  return [finding("clock", "error", { message, remedy })];
}

/** Accounts that are examined at most. */
const maxSamples = 10;

const noParts: PartsToRead = { settings: false, policies: false, rules: false, scoreRule: false };

/** Reads one zone of each account and credential, a declared one if there is one. */
async function checkPermissions(
  zones: readonly Zone[],
  fleet: DesiredFleet,
  client: ServiceClient,
  place: ServicePlace,
  stop: AbortSignal,
): Promise<readonly CheckFinding[]> {
  const samples = new Map<string, Zone>();
  const declared = zones.filter(({ name }) => fleet.zones.has(name));
  for (const zone of [...declared, ...zones]) {
    const key = `${client.credentialOf(zone)} ${zone.accountId}`;
    if (!samples.has(key) && samples.size < maxSamples) samples.set(key, zone);
  }
  const found: CheckFinding[] = [];
  for (const zone of samples.values()) found.push(...(await checkZone(zone, client, place, stop)));
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
  { reader, rulesets, audit }: ServiceClient,
  { config, host }: ServicePlace,
  stop: AbortSignal,
): readonly Attempt[] {
  const shield = { ...noParts, settings: true, policies: true };
  const now = host.clock.now();
  const lastMinute = { since: new Date(Number(now) - 60_000), before: now };
  const auditLog: Attempt = {
    permission: "Account Settings: Read",
    read: () => audit.readOf(zone, lastMinute, stop),
    note: "until then, only sweeps find edits by hand",
  };
  return [
    {
      permission: "Page Shield: Read",
      read: () => reader.readZone(zone, shield, "changed", stop),
    },
    {
      permission: "Zone WAF: Read",
      read: () => reader.readZone(zone, { ...noParts, rules: true }, "changed", stop),
    },
    {
      permission: "Account WAF: Read",
      read: () => rulesets.list({ level: "account", zone }, stop),
      note: "only zonewarden rulesets --account needs it",
    },
    ...(config.audit.follow === undefined ? [] : [auditLog]),
  ];
}

async function checkZone(
  zone: Zone,
  client: ServiceClient,
  place: ServicePlace,
  stop: AbortSignal,
): Promise<readonly CheckFinding[]> {
  const who = `credential ${client.credentialOf(zone)}, ${zone.name}`;
  const granted: string[] = [];
  const found: CheckFinding[] = [];
  for (const { permission, read, note } of attemptsOn(zone, client, place, stop)) {
    try {
      await read();
      granted.push(permission);
    } catch (error) {
      stop.throwIfAborted();
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

/** Whether the service lists what the files declare. */
function checkZones(fleet: DesiredFleet, state: LoadedFiles, host: Host): readonly CheckFinding[] {
  const found = ofDiagnostics("zones", fleet.diagnostics, state, host);
  if (found.length > 0) return found;
  if (fleet.zones.size === 0) return [skipped("zones", "no zone is declared")];
  return [fine("zones", `${plural(fleet.zones.size, "declared zone")}: all listed`)];
}

/** Whether a sweep ends before the next one is due. */
function checkBudget(
  fleet: DesiredFleet,
  client: ServiceClient,
  { config }: ServicePlace,
): CheckFinding {
  if (fleet.zones.size === 0) return skipped("budget", "no zone is declared");
  const declared = [...fleet.zones.values()].map(({ desired }) => desired);
  const { requests, ms } = forecastOf(declared, client);
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
