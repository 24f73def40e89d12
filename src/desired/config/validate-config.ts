import type { Diagnostic } from "../../zone/diagnostic.ts";
import type { DeclarationDiagnostic } from "../complaint.ts";
import { problemOf } from "../diagnostics.ts";
import { keyOffset, valueOffset } from "../location.ts";
import type { Located } from "../location.ts";
import type { Path } from "../yaml/path.ts";
import type { ConfigFile } from "./config-file.ts";
import type { Config, ConfigPorts } from "./config.ts";

/** What the schema cannot say: addresses, schedules, time zones, and things that exclude each other. */
export function configProblems(
  file: ConfigFile,
  config: Config,
  located: Located,
  cronMistake: ConfigPorts["cronMistake"],
): readonly Diagnostic[] {
  return [
    ...addressComplaints(file),
    ...listenComplaints(config),
    ...serverComplaints(file),
    ...notificationComplaints(file),
    ...scheduleComplaints(file, cronMistake),
    ...timezoneComplaints(file),
    ...durationComplaints(file, config),
    ...credentialComplaints(file),
    ...reserveComplaints(config),
  ].map(({ code, path, message, remedy }) => {
    const offset = code === "CONTRADICTION" ? keyOffset : valueOffset;
    return problemOf(located.source, code, offset(located, path), path, { message, remedy });
  });
}

function addressComplaints({ api = {} }: ConfigFile): DeclarationDiagnostic[] {
  const path = ["api", "base_url"];
  const { base_url: address, emulator } = api;
  if (address === undefined) return [];
  const found: DeclarationDiagnostic[] = [];
  if (emulator !== undefined) {
    const message = '"base_url" and "emulator" exclude each other';
    found.push({ code: "CONTRADICTION", path, message, remedy: "keep one of them" });
  }
  const fault = addressFault(address);
  if (fault !== undefined) found.push(wrong(path, fault, "write https://host/client/v4"));
  return found;
}

function addressFault(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined) return "this is no address";
  if (url.username !== "" || url.password !== "") return "it carries a user or password";
  if (url.search !== "" || url.hash !== "") return "it goes on after its path";
  if (url.protocol === "https:") return undefined;
  if (url.protocol !== "http:") return `"${url.protocol}" is neither https nor http`;
  return isLoopback(url.hostname) ? undefined : "http would show the token to everyone on the way";
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(\.\d+){3}$/.test(host);
}

function listenComplaints({ api, server }: Config): DeclarationDiagnostic[] {
  const places: [Path, number | undefined][] = [
    [["api", "emulator", "listen"], api.emulator?.listen.port],
    [["server", "listen"], server.listen.port],
  ];
  return places
    .filter(([, port]) => port !== undefined && port > 65_535)
    .map(([path, port]) => wrong(path, `${port} is no port`, "write a number up to 65535"));
}

function serverComplaints({ server = {} }: ConfigFile): DeclarationDiagnostic[] {
  if (server.reconcile_token_file === undefined || server.reconcile_token_env === undefined) {
    return [];
  }
  const message = '"reconcile_token_file" and "reconcile_token_env" exclude each other';
  const path = ["server", "reconcile_token_env"];
  return [{ code: "CONTRADICTION", path, message, remedy: "keep one of them" }];
}

function notificationComplaints({ notifications = [] }: ConfigFile): DeclarationDiagnostic[] {
  const seen = new Set<string>();
  return notifications.flatMap((entry, index) => {
    const at = (key: string): Path => ["notifications", index, key];
    const { name, url, secret_file: file, secret_env: env } = entry;
    const found: DeclarationDiagnostic[] = [];
    if (seen.has(name)) {
      const message = `another notification is called "${name}" too`;
      found.push(wrong(at("name"), message, "give each its own name"));
    }
    seen.add(name);
    const fault = url === undefined ? undefined : sinkFault(url);
    if (fault !== undefined) found.push(wrong(at("url"), fault, "write https://host/path"));
    if (file !== undefined && env !== undefined) {
      const message = '"secret_file" and "secret_env" exclude each other';
      found.push({
        code: "CONTRADICTION",
        path: at("secret_env"),
        message,
        remedy: "keep one of them",
      });
    }
    return found;
  });
}

/** Queries are part of many webhooks' addresses. */
function sinkFault(address: string): string | undefined {
  if (!URL.canParse(address)) return "this is no address";
  const url = new URL(address);
  if (url.protocol === "https:") return undefined;
  if (url.protocol !== "http:") return `"${url.protocol}" is neither https nor http`;
  return isLoopback(url.hostname) ? undefined : "http would show messages to everyone on the way";
}

function scheduleComplaints(
  { schedule = {}, windows = [] }: ConfigFile,
  cronMistake: ConfigPorts["cronMistake"],
): DeclarationDiagnostic[] {
  const { cron = [] } = schedule;
  const expressions: [Path, string][] = [
    ...(typeof cron === "string"
      ? [[["schedule", "cron"], cron] satisfies [Path, string]]
      : cron.map((text, index): [Path, string] => [["schedule", "cron", index], text])),
    ...windows.map(({ start }, index): [Path, string] => [["windows", index, "start"], start]),
  ];
  return expressions.flatMap(([path, text]): readonly DeclarationDiagnostic[] => {
    const mistake = cronMistake(text);
    if (mistake !== undefined) {
      return [wrong(path, `"${text}" is no cron expression: ${mistake}`, fiveFields)];
    }
    return restrictsBothDays(text) ? [bothDays(path)] : [];
  });
}

const fiveFields =
  "write five fields as in */15 * * * *: minute, hour, day, month, day of the week";

function bothDays(path: Path): DeclarationDiagnostic {
  return {
    code: "BOTH_DAY_FIELDS",
    path,
    message: "both day fields are restricted, which schedulers understand differently",
    remedy: "leave the day of the month or the day of the week at *; write two expressions instead",
  };
}

/** Whether "on the 13th, or on Fridays" and "on Friday the 13th" would differ. */
function restrictsBothDays(cron: string): boolean {
  const fields = cron.trim().split(/\s+/);
  return [fields.at(-3), fields.at(-1)].every((field) => field !== "*" && field !== "?");
}

function timezoneComplaints({ schedule = {}, windows = [] }: ConfigFile): DeclarationDiagnostic[] {
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
      wrong(path, `"${name}" is no time zone`, "write a name such as Etc/UTC or Europe/Berlin"),
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

function durationComplaints({ windows = [] }: ConfigFile, config: Config): DeclarationDiagnostic[] {
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
    .map(([path]) => wrong(path, "this cannot be zero", "write a duration such as 30s"));
}

function credentialComplaints({ credentials = [] }: ConfigFile): DeclarationDiagnostic[] {
  const seen = new Set<string>();
  return credentials.flatMap(({ name }, index) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const path = ["credentials", index, "name"];
    return [wrong(path, `another credential is called "${name}" too`, "give each its own name")];
  });
}

/** With nothing left for the program itself it would wait for ever. */
function reserveComplaints({ budget }: Config): DeclarationDiagnostic[] {
  if (budget.reserve <= 0.95) return [];
  const message = "nothing would be left for the program";
  return [wrong(["budget", "reserve"], message, "leave it at least 5%: write a share up to 0.95")];
}

function wrong(path: Path, message: string, remedy: string): DeclarationDiagnostic {
  return { code: "WRONG_VALUE", path, message, remedy };
}
