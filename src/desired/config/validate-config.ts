import { didYouMean } from "../../syntax/nearest.ts";
import { diagnosticCodes, factsOf } from "../../zone/diagnostic-codes.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { contradiction, diagnosticIn, type UnplacedDiagnostic } from "../diagnostics.ts";
import type { Located, Path } from "../location.ts";
import type { ConfigFile } from "./config-file.ts";
import type { Config } from "./config.ts";

/** Values by their paths; `undefined` if there is none. */
type Values<T> = readonly (readonly [path: Path, value: T | undefined])[];

/** Checks what the schema cannot: URLs, schedules, time zones, and values that depend on others. */
export function validateConfig(
  file: ConfigFile,
  config: Config,
  document: Located,
  cronError: (expression: string) => string | undefined,
): readonly Diagnostic[] {
  return [
    ...checkUrls(file),
    ...checkNumbers(config),
    ...checkCluster(file),
    ...checkTimes(file, cronError),
    ...checkLint(file),
    ...repeatedNames("notification", file.notifications),
    ...repeatedNames("credential", file.credentials),
    ...repeatedNames("window", file.windows),
  ].map((found) => diagnosticIn(document, found));
}

function checkUrls({ api, notifications }: ConfigFile): UnplacedDiagnostic[] {
  const service = [[["api", "base_url"], api.base_url] as const];
  const sinks = notifications.map(
    ({ url }, index) => [["notifications", index, "url"], url] as const,
  );
  return [
    ...wrongValues(
      service,
      (text) => baseUrlError(text, api.allow_http),
      "write https://host/client/v4",
    ),
    ...wrongValues(sinks, sinkUrlError, "write https://host/path"),
  ];
}

function baseUrlError(text: string, allowsService: boolean): string | undefined {
  const url = URL.parse(text);
  if (url === null) return "this is not a URL";
  if (url.username !== "" || url.password !== "") return "the URL has a user or password";
  if (url.search !== "" || url.hash !== "") return "the URL has a query or fragment";
  if (allowsService && url.protocol === "http:" && isService(url)) return undefined;
  return schemeError(url, "the token");
}

/**
 * The name of a Service, which the DNS of a cluster resolves: no address, and no name in another
 * domain.
 */
function isService({ hostname }: URL): boolean {
  return /^[a-z0-9-]+(\.[a-z0-9-]+\.svc(\.cluster\.local)?)?$/.test(hostname);
}

/** URLs of webhooks may have a query. */
function sinkUrlError(text: string): string | undefined {
  const url = URL.parse(text);
  return url === null ? "this is not a URL" : schemeError(url, "messages");
}

/** Requires https, except on a loopback address. */
function schemeError({ protocol, hostname }: URL, sent: string): string | undefined {
  if (protocol === "https:") return undefined;
  if (protocol !== "http:") return "the scheme is neither https nor http";
  const isLoopback = /^(localhost|\[::1\]|127(\.\d+){3})$/.test(hostname);
  return isLoopback ? undefined : `http would send ${sent} unencrypted`;
}

function checkNumbers(config: Config): UnplacedDiagnostic[] {
  const { api, server, budget, limits, inventory, windows, cluster, audit } = config;
  const ports: Values<number> = [
    [["api", "emulator", "listen"], api.emulator?.listen.port],
    [["server", "listen"], server.listen.port],
  ];
  const durations: Values<number> = [
    [["api", "timeout"], api.timeoutMs],
    [["budget", "window"], budget.windowMs],
    [["limits", "contended_window"], limits.contendedWindowMs],
    [["inventory", "every"], inventory?.everyMs],
    ...windows.map(
      ({ durationMs }, index) => [["windows", index, "duration"], durationMs] as const,
    ),
  ];
  const { everyMs = 0, overlapMs } = audit.follow ?? {};
  return [
    ...wrongValues(
      ports,
      (port) => port > 65_535 && `${port} is not a port`,
      "write a number up to 65535",
    ),
    ...wrongValues(
      durations,
      (ms) => ms === 0 && "the duration must not be zero",
      "write a duration like 30s",
    ),
    ...wrongValues(
      [[["cluster", "lease_duration"], cluster?.leaseDurationMs]],
      (ms) => (ms < 15_000 || ms > 300_000) && "the Lease would be too short or too long",
      "write a duration from 15s to 5m",
    ),
    // With no requests left for itself, the program would wait forever.
    ...wrongValues(
      [[["budget", "reserve"], budget.reserve]],
      (share) => share > 0.95 && "this reserves all requests for others",
      "leave at least 5% for zonewarden: write a share up to 0.95",
    ),
    // It would use up the share of the request budget.
    ...wrongValues(
      [[["audit", "every"], audit.follow?.everyMs]],
      (ms) => ms < 15_000 && "the audit log would be read too often",
      "write a duration of at least 15s",
    ),
    // It would leave gaps.
    ...wrongValues(
      [[["audit", "overlap"], overlapMs]],
      (ms) => ms < everyMs && "the overlap is shorter than the time between two reads",
      "write a duration at least as long as audit.every",
    ),
  ];
}

/** Several processes share what they remember, or each new holder of the Lease would know nothing. */
function checkCluster({ cluster, store }: ConfigFile): UnplacedDiagnostic[] {
  if (cluster === undefined || store?.postgres !== undefined) return [];
  const message = `several processes share a database, and "cluster" is set without "store.postgres"`;
  const remedy = `set store.postgres, or remove "cluster" and run one process`;
  return [contradiction(["cluster"], message, remedy)];
}

function checkTimes(
  { schedule: { cron, timezone }, windows }: ConfigFile,
  cronError: (expression: string) => string | undefined,
): UnplacedDiagnostic[] {
  const crons: Values<string> = [
    ...[cron].flat().map((text, index) => {
      const steps = typeof cron === "string" ? [] : [index];
      return [["schedule", "cron", ...steps], text] as const;
    }),
    ...windows.map(({ start }, index) => [["windows", index, "start"], start] as const),
  ];
  const timezones: Values<string> = [
    [["schedule", "timezone"], timezone],
    ...windows.map((window, index) => [["windows", index, "timezone"], window.timezone] as const),
  ];
  return [
    ...crons.flatMap(([path, text = ""]) => checkCron(path, text, cronError(text))),
    ...wrongValues(timezones, timezoneError, "write a name like Etc/UTC or Europe/Berlin"),
  ];
}

function checkCron(path: Path, text: string, error: string | undefined): UnplacedDiagnostic[] {
  if (error !== undefined) {
    const remedy =
      "write five fields as in */15 * * * *: minute, hour, day, month, day of the week";
    return [wrong(path, `"${text}" is not a cron expression: ${error}`, remedy)];
  }
  // Some schedulers take both fields as "on the 13th or on Fridays", others as "on Friday the
  // 13th".
  const fields = text.trim().split(/\s+/);
  if ([fields.at(-3), fields.at(-1)].some((field) => field === "*" || field === "?")) return [];
  const message = "both day fields are restricted, which schedulers interpret differently";
  const remedy =
    "set the day of the month or the day of the week to *; use two expressions if you need both";
  return [{ code: "BOTH_DAY_FIELDS", path, message, remedy }];
}

/** Only warnings can be changed: a file with an error is not used. */
function checkLint({ lint }: ConfigFile): UnplacedDiagnostic[] {
  return Object.keys(lint).flatMap((code): UnplacedDiagnostic[] => {
    const path = ["lint", code];
    const facts = factsOf(code);
    if (facts === undefined) {
      const remedy =
        didYouMean(code, Object.keys(diagnosticCodes)) || "`zonewarden explain` lists the codes";
      return [{ ...wrong(path, `there is no code ${code}`, remedy), atKey: true }];
    }
    if (facts.severity === "warning") return [];
    const message = `${code} is an error, whose level cannot be changed`;
    return [{ ...wrong(path, message, "delete it here"), atKey: true }];
  });
}

function timezoneError(name: string): string | undefined {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name }).format();
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return `"${name}" is not a time zone`;
    throw error;
  }
}

/** A name must be unique in its list. */
function repeatedNames(
  what: "credential" | "notification" | "window",
  entries: readonly { readonly name: string }[] = [],
): UnplacedDiagnostic[] {
  const seen = new Set<string>();
  const names = entries.map(({ name }, index) => [[`${what}s`, index, "name"], name] as const);
  const errorOf = (name: string): string | undefined => {
    if (seen.has(name)) return `another ${what} has the name "${name}"`;
    seen.add(name);
    return undefined;
  };
  return wrongValues(names, errorOf, "give each its own name");
}

function wrongValues<T>(
  values: Values<T>,
  errorOf: (value: T) => string | false | undefined,
  remedy: string,
): UnplacedDiagnostic[] {
  return values.flatMap(([path, value]) => {
    const message = value !== undefined && errorOf(value);
    return message ? [wrong(path, message, remedy)] : [];
  });
}

function wrong(path: Path, message: string, remedy: string): UnplacedDiagnostic {
  return { code: "WRONG_VALUE", path, message, remedy };
}
