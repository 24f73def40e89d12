import type { Diagnostic } from "../../zone/diagnostic.ts";
import { contradiction, diagnosticIn, type UnplacedDiagnostic } from "../diagnostics.ts";
import type { Located, Path } from "../location.ts";
import type { ConfigFile } from "./config-file.ts";
import type { Config } from "./config.ts";

/** Checks what the schema cannot: URLs, schedules, time zones, and keys that exclude each other. */
export function validateConfig(
  file: ConfigFile,
  config: Config,
  document: Located,
  cronError: (expression: string) => string | undefined,
): readonly Diagnostic[] {
  return [
    ...checkBaseUrl(file),
    ...checkPorts(config),
    ...checkReconcileToken(file),
    ...checkNotifications(file),
    ...checkCron(file, cronError),
    ...checkTimezones(file),
    ...checkDurations(file, config),
    ...repeatedNames("credential", "credentials", file.credentials),
    ...checkReserve(config),
  ].map((found) => diagnosticIn(document, found));
}

function checkBaseUrl({ api: { base_url: url, emulator } = {} }: ConfigFile): UnplacedDiagnostic[] {
  const path = ["api", "base_url"];
  if (url === undefined) return [];
  const error = baseUrlError(url);
  return [
    ...(emulator === undefined ? [] : [exclusive(path, "base_url", "emulator")]),
    ...(error === undefined ? [] : [wrong(path, error, "write https://host/client/v4")]),
  ];
}

function baseUrlError(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return "this is not a URL";
  if (url.username !== "" || url.password !== "") return "the URL has a user or password";
  if (url.search !== "" || url.hash !== "") return "the URL has a query or fragment";
  return schemeError(url, "the token");
}

/** URLs of webhooks may have a query. */
function sinkUrlError(text: string): string | undefined {
  const url = URL.parse(text);
  return url === null ? "this is not a URL" : schemeError(url, "messages");
}

/** Requires https, except on a loopback address. */
function schemeError({ protocol, hostname }: URL, sent: string): string | undefined {
  if (protocol === "https:") return undefined;
  if (protocol !== "http:") return `"${protocol}" is neither https nor http`;
  return isLoopback(hostname) ? undefined : `http would send ${sent} unencrypted`;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(\.\d+){3}$/.test(host);
}

function checkPorts({ api, server }: Config): UnplacedDiagnostic[] {
  const ports: [Path, number | undefined][] = [
    [["api", "emulator", "listen"], api.emulator?.listen.port],
    [["server", "listen"], server.listen.port],
  ];
  return ports
    .filter(([, port]) => port !== undefined && port > 65_535)
    .map(([path, port]) => wrong(path, `${port} is not a port`, "write a number up to 65535"));
}

function checkReconcileToken({ server = {} }: ConfigFile): UnplacedDiagnostic[] {
  if (server.reconcile_token_file === undefined || server.reconcile_token_env === undefined) {
    return [];
  }
  const path = ["server", "reconcile_token_env"];
  return [exclusive(path, "reconcile_token_file", "reconcile_token_env")];
}

function checkNotifications({ notifications = [] }: ConfigFile): UnplacedDiagnostic[] {
  const inEach = notifications.flatMap(({ url, secret_file: file, secret_env: env }, index) => {
    const error = url === undefined ? undefined : sinkUrlError(url);
    const path = ["notifications", index];
    return [
      ...(error === undefined ? [] : [wrong([...path, "url"], error, "write https://host/path")]),
      ...(file === undefined || env === undefined
        ? []
        : [exclusive([...path, "secret_env"], "secret_file", "secret_env")]),
    ];
  });
  return [...repeatedNames("notification", "notifications", notifications), ...inEach];
}

function checkCron(
  { schedule = {}, windows = [] }: ConfigFile,
  cronError: (expression: string) => string | undefined,
): UnplacedDiagnostic[] {
  const { cron = [] } = schedule;
  const expressions: [Path, string][] = [
    ...(typeof cron === "string"
      ? [[["schedule", "cron"], cron] satisfies [Path, string]]
      : cron.map((text, index): [Path, string] => [["schedule", "cron", index], text])),
    ...windows.map(({ start }, index): [Path, string] => [["windows", index, "start"], start]),
  ];
  return expressions.flatMap(([path, text]): readonly UnplacedDiagnostic[] => {
    const error = cronError(text);
    if (error !== undefined) {
      return [wrong(path, `"${text}" is not a cron expression: ${error}`, fiveFields)];
    }
    return restrictsBothDays(text) ? [bothDays(path)] : [];
  });
}

const fiveFields =
  "write five fields as in */15 * * * *: minute, hour, day, month, day of the week";

function bothDays(path: Path): UnplacedDiagnostic {
  return {
    code: "BOTH_DAY_FIELDS",
    path,
    message: "both day fields are restricted, which schedulers interpret differently",
    remedy:
      "set the day of the month or the day of the week to *; use two expressions if you need both",
  };
}

/** Some schedulers take both fields as "on the 13th or on Fridays", others as "on Friday the 13th". */
function restrictsBothDays(cron: string): boolean {
  const fields = cron.trim().split(/\s+/);
  return [fields.at(-3), fields.at(-1)].every((field) => field !== "*" && field !== "?");
}

function checkTimezones({ schedule = {}, windows = [] }: ConfigFile): UnplacedDiagnostic[] {
  const entries: [Path, string | undefined][] = [
    [["schedule", "timezone"], schedule.timezone],
    ...windows.map(({ timezone }, index): [Path, string | undefined] => [
      ["windows", index, "timezone"],
      timezone,
    ]),
  ];
  return entries
    .filter(([, name]) => name !== undefined && !isTimezone(name))
    .map(([path, name]) =>
      wrong(path, `"${name}" is not a time zone`, "write a name like Etc/UTC or Europe/Berlin"),
    );
}

function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function checkDurations({ windows = [] }: ConfigFile, config: Config): UnplacedDiagnostic[] {
  const zero: [Path, number | undefined][] = [
    [["api", "timeout"], config.api.timeoutMs],
    [["budget", "window"], config.budget.windowMs],
    [["limits", "contended_window"], config.limits.contendedWindowMs],
    [["inventory", "every"], config.inventory?.everyMs],
    ...windows.map((_, index): [Path, number] => [
      ["windows", index, "duration"],
      config.windows[index]?.durationMs ?? 0,
    ]),
  ];
  return zero
    .filter(([, duration]) => duration === 0)
    .map(([path]) => wrong(path, "the duration must not be zero", "write a duration like 30s"));
}

/** A name must be unique in its list. */
function repeatedNames(
  what: string,
  list: string,
  entries: readonly { readonly name: string }[] = [],
): UnplacedDiagnostic[] {
  const seen = new Set<string>();
  return entries.flatMap(({ name }, index) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const message = `another ${what} has the name "${name}"`;
    return [wrong([list, index, "name"], message, "give each its own name")];
  });
}

/** With no requests left for itself, the program would wait forever. */
function checkReserve({ budget }: Config): UnplacedDiagnostic[] {
  if (budget.reserve <= 0.95) return [];
  const message = "this reserves all requests for others";
  return [
    wrong(
      ["budget", "reserve"],
      message,
      "leave at least 5% for zonewarden: write a share up to 0.95",
    ),
  ];
}

function exclusive(path: Path, one: string, other: string): UnplacedDiagnostic {
  return contradiction(path, `"${one}" and "${other}" exclude each other`, "keep one of them");
}

function wrong(path: Path, message: string, remedy: string): UnplacedDiagnostic {
  return { code: "WRONG_VALUE", path, message, remedy };
}
