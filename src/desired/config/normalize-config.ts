import path from "node:path";

import { usualMaliciousBelow } from "../../zone/inventory-item.ts";
import type { ConfigFile, Credential, Notification, Window } from "./config-file.ts";
import type {
  Config,
  CredentialConfig,
  HistoryConfig,
  NotificationConfig,
  SecretSource,
  LimitsConfig,
  Listen,
  WindowConfig,
} from "./config.ts";

/** An optional section of the file. */
type Section<K extends keyof ConfigFile> = NonNullable<ConfigFile[K]>;

/** The configuration with every default filled in and every path absolute. */
export function normalizeConfig(file: ConfigFile, directory: string): Config {
  return {
    mode: file.mode,
    api: normalApi(file.api ?? {}, directory),
    credentials: normalCredentials(file.credentials, directory),
    desired: normalDesired(file.desired ?? {}, directory),
    schedule: normalSchedule(file.schedule ?? {}),
    limits: normalLimits(file.limits ?? {}),
    budget: normalBudget(file.budget ?? {}),
    windows: (file.windows ?? []).map(normalWindow),
    server: normalServer(file.server ?? {}, directory),
    notifications: (file.notifications ?? []).map((entry) => normalNotification(entry, directory)),
    history: normalHistory(file.history ?? {}, directory),
    impact: normalImpact(file.impact ?? {}),
    inventory: normalInventory(file.inventory),
    log: normalLog(file.log ?? {}),
  };
}

/** Milliseconds of `500ms`, `30s`, `15m` or `24h`; the schema allows no other text. */
function milliseconds(duration: string): number {
  const unit = units.find(([name]) => duration.endsWith(name));
  return Number.parseInt(duration, 10) * (unit?.[1] ?? 1);
}

// "ms" is first: "500ms" also ends with "s".
const units = [
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
] as const;

const environmentCredential: CredentialConfig = {
  name: "default",
  source: { env: "ZONEWARDEN_API_TOKEN" },
  accounts: ["*"],
  zones: ["*"],
};

function normalApi(api: Section<"api">, directory: string): Config["api"] {
  const { emulator, timeout = "30s", concurrency = 8 } = api;
  const listen = listenOf(emulator?.listen ?? "127.0.0.1:8787");
  return {
    baseUrl: emulator === undefined ? realBaseUrl(api.base_url) : emulatorUrl(listen),
    emulator:
      emulator === undefined
        ? undefined
        : {
            seed: emulator.seed === undefined ? undefined : path.resolve(directory, emulator.seed),
            listen,
          },
    timeoutMs: milliseconds(timeout),
    concurrency,
  };
}

/** Without the trailing slash. */
function realBaseUrl(url = "https://api.cloudflare.com/client/v4"): string {
  return url.replace(/\/+$/, "");
}

function emulatorUrl({ host, port }: Listen): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}/client/v4`;
}

/** Host and port of `127.0.0.1:9464` or `[::1]:9464`. */
function listenOf(text: string): Listen {
  const colon = text.lastIndexOf(":");
  const host = text.slice(0, colon).replace(/^\[(.*)\]$/, "$1");
  return { host, port: Number(text.slice(colon + 1)) };
}

function normalCredentials(
  entries: readonly Credential[] | undefined,
  directory: string,
): readonly CredentialConfig[] {
  return entries?.map((entry) => normalCredential(entry, directory)) ?? [environmentCredential];
}

function normalCredential(entry: Credential, directory: string): CredentialConfig {
  const { name, token_file: file, token_env: env = "", accounts = ["*"], zones = ["*"] } = entry;
  const source = file === undefined ? { env } : { file: path.resolve(directory, file) };
  return { name, source, accounts, zones };
}

function normalDesired(desired: Section<"desired">, directory: string): Config["desired"] {
  return {
    path: path.resolve(directory, desired.path ?? "zones"),
    owner: desired.owner ?? "zonewarden",
  };
}

function normalSchedule(schedule: Section<"schedule">): Config["schedule"] {
  return {
    cron: [schedule.cron ?? "*/15 * * * *"].flat(),
    timezone: schedule.timezone ?? "Etc/UTC",
    onChange: schedule.on_change ?? true,
    debounceMs: milliseconds(schedule.debounce ?? "500ms"),
  };
}

function normalBudget(budget: Section<"budget">): Config["budget"] {
  return {
    requests: budget.requests ?? 1200,
    windowMs: milliseconds(budget.window ?? "5m"),
    reserve: share(budget.reserve ?? 0.2),
  };
}

function normalServer(server: Section<"server">, directory: string): Config["server"] {
  const {
    listen = "127.0.0.1:9464",
    reconcile_token_file: file,
    reconcile_token_env: env,
  } = server;
  return { listen: listenOf(listen), reconcileToken: secretSource(file, env, directory) };
}

function normalNotification(entry: Notification, directory: string): NotificationConfig {
  const { name, type, zones = ["*"], severity = "info" } = entry;
  const address = secretSource(entry.url_file, entry.url_env, directory);
  return {
    name,
    type,
    url: address ?? { url: entry.url ?? "" },
    secret: secretSource(entry.secret_file, entry.secret_env, directory),
    zones,
    severity,
  };
}

/** Validation allows only one of both. */
function secretSource(
  file: string | undefined,
  env: string | undefined,
  directory: string,
): SecretSource | undefined {
  if (file !== undefined) return { file: path.resolve(directory, file) };
  return env === undefined ? undefined : { env };
}

function normalHistory(history: Section<"history">, directory: string): HistoryConfig {
  const { path: file, max_age: maxAge = "9600h", max_size: maxSize = "64MiB" } = history;
  return {
    path: file === undefined ? undefined : path.resolve(directory, file),
    maxAgeMs: milliseconds(maxAge),
    maxBytes: bytes(maxSize),
  };
}

/** Bytes of `512KiB`, `64MiB` or `1GiB`; the schema allows no other text. */
function bytes(size: string): number {
  const exponent = ["KiB", "MiB", "GiB"].findIndex((unit) => size.endsWith(unit)) + 1;
  return Number.parseInt(size, 10) * 1024 ** exponent;
}

function normalImpact({ malicious_below, fresh }: Section<"impact">): Config["impact"] {
  return {
    maliciousBelow: malicious_below ?? usualMaliciousBelow,
    freshMs: milliseconds(fresh ?? "168h"),
  };
}

/** The names in the file and their item kinds. */
const kindNames = { scripts: "script", connections: "connection", cookies: "cookie" } as const;

function normalInventory(inventory: Section<"inventory"> = {}): Config["inventory"] {
  const {
    enabled = false,
    every = "24h",
    kinds = ["scripts", "connections", "cookies"],
  } = inventory;
  if (!enabled) return undefined;
  return { everyMs: milliseconds(every), kinds: kinds.map((kind) => kindNames[kind]) };
}

function normalLog({ level = "info", format }: Section<"log">): Config["log"] {
  return { level, format };
}

function normalLimits(limits: Section<"limits">): LimitsConfig {
  return {
    maxDeleteShare: share(limits.max_delete_share ?? 0.3),
    maxUpdateShare: share(limits.max_update_share ?? 0.6),
    minCompared: limits.min_compared ?? 3,
    maxFleetShare: share(limits.max_fleet_share ?? 0.3),
    minFleet: limits.min_fleet ?? 10,
    weakening: limits.weakening ?? "allow",
    contendedRounds: limits.contended_rounds ?? 3,
    contendedWindowMs: milliseconds(limits.contended_window ?? "1h"),
    accept: limits.accept ?? [],
  };
}

/** A share as a number; `30%` is 0.3. */
function share(value: number | string): number {
  return typeof value === "number" ? value : Number(value.replace("%", "")) / 100;
}

function normalWindow(window: Window): WindowConfig {
  return {
    name: window.name,
    type: window.type,
    start: window.start,
    durationMs: milliseconds(window.duration),
    timezone: window.timezone ?? "Etc/UTC",
    letStrengtheningPass: window.strengthening === "allow",
  };
}
