import path from "node:path";

import { hostWithPort } from "../../syntax/host-port.ts";
import { usualMaliciousBelow } from "../../zone/inventory-item.ts";
import type { ConfigFile, YamlCredential, YamlNotification, YamlWindow } from "./config-file.ts";
import type {
  Config,
  CredentialConfig,
  Listen,
  NotificationConfig,
  SecretSource,
  WindowConfig,
} from "./config.ts";
import { emulatorAddress, tokenVariable } from "./defaults.ts";

type Optional<K extends keyof ConfigFile> = NonNullable<ConfigFile[K]>;

/** The configuration with every default filled in and every path absolute. */
export function normalizeConfig(file: ConfigFile, directory: string): Config {
  const { credentials, windows = [], notifications = [] } = file;
  return {
    mode: file.mode,
    api: normalApi(directory, file.api),
    credentials: credentials?.map((entry) => normalCredential(entry, directory)) ?? [
      environmentCredential,
    ],
    desired: normalDesired(directory, file.desired),
    lint: normalLint(file.lint),
    schedule: normalSchedule(file.schedule),
    limits: normalLimits(file.limits),
    budget: normalBudget(file.budget),
    windows: windows.map(normalWindow),
    server: normalServer(directory, file.server),
    notifications: notifications.map((entry) => normalNotification(entry, directory)),
    plan: { verifyKey: absolute(directory, file.plan?.verify_key) },
    history: normalHistory(directory, file.history),
    state: { path: statePath(directory, file) },
    cluster: normalCluster(directory, file.cluster),
    impact: normalImpact(file.impact),
    audit: normalAudit(file.audit),
    inventory: normalInventory(file.inventory),
    log: normalLog(file.log),
  };
}

function normalDesired(
  directory: string,
  { path: file = "zones", owner = "zonewarden", adopt = "explicit" }: Optional<"desired"> = {},
): Config["desired"] {
  return { path: path.resolve(directory, file), owner, adopt };
}

function normalLint(lint: Optional<"lint"> = {}): Config["lint"] {
  return Object.entries(lint).flatMap(([code, levels]) => {
    const byFiles = typeof levels === "string" ? { "*": levels } : levels;
    return Object.entries(byFiles).map(([files, level]) => ({ code, files, level }));
  });
}

function normalSchedule({
  cron = "*/15 * * * *",
  timezone = "Etc/UTC",
  on_change: onChange = true,
  debounce = "500ms",
}: Optional<"schedule"> = {}): Config["schedule"] {
  return { cron: [cron].flat(), timezone, onChange, debounceMs: milliseconds(debounce) };
}

function normalBudget({
  requests = 1200,
  window = "5m",
  reserve = 0.2,
}: Optional<"budget"> = {}): Config["budget"] {
  return { requests, windowMs: milliseconds(window), reserve: share(reserve) };
}

function normalWindow({
  name,
  type,
  start,
  duration,
  timezone = "Etc/UTC",
  strengthening,
}: YamlWindow): WindowConfig {
  const letStrengtheningPass = strengthening === "allow";
  return { name, type, start, durationMs: milliseconds(duration), timezone, letStrengtheningPass };
}

function normalServer(
  directory: string,
  {
    listen = "127.0.0.1:9464",
    hosts = [],
    reconcile_token_file: file,
    reconcile_token_env: env,
  }: Optional<"server"> = {},
): Config["server"] {
  return { listen: listenOf(listen), hosts, reconcileToken: secretSource(file, env, directory) };
}

function normalCluster(directory: string, cluster: ConfigFile["cluster"]): Config["cluster"] {
  if (cluster === undefined) return undefined;
  const { lease = "zonewarden", lease_duration: duration = "15s", kubeconfig } = cluster;
  const leaseDurationMs = milliseconds(duration);
  return { lease, leaseDurationMs, kubeconfig: absolute(directory, kubeconfig) };
}

function normalImpact({
  malicious_below: maliciousBelow = usualMaliciousBelow,
  fresh = "168h",
}: Optional<"impact"> = {}): Config["impact"] {
  return { maliciousBelow, freshMs: milliseconds(fresh) };
}

function normalLog({ level = "info", format }: Optional<"log"> = {}): Config["log"] {
  return { level, format };
}

function normalApi(
  directory: string,
  { base_url: url, emulator, timeout = "30s", concurrency = 8 }: Optional<"api"> = {},
): Config["api"] {
  const shared = { timeoutMs: milliseconds(timeout), concurrency };
  if (emulator === undefined) return { baseUrl: serviceUrl(url), emulator, ...shared };
  const listen = listenOf(emulator.listen ?? emulatorAddress);
  const seed = absolute(directory, emulator.seed);
  return { baseUrl: emulatorUrl(listen), emulator: { seed, listen }, ...shared };
}

/** Without the trailing slash. */
function serviceUrl(url = "https://api.cloudflare.com/client/v4"): string {
  return url.replace(/\/+$/, "");
}

function emulatorUrl({ host, port }: Listen): string {
  return `http://${hostWithPort(host, port)}/client/v4`;
}

/** Host and port of `127.0.0.1:9464` or `[::1]:9464`. */
function listenOf(text: string): Listen {
  const colon = text.lastIndexOf(":");
  const host = text.slice(0, colon).replace(/^\[(.*)\]$/, "$1");
  return { host, port: Number(text.slice(colon + 1)) };
}

const environmentCredential: CredentialConfig = {
  name: "default",
  source: { env: tokenVariable },
  accounts: ["*"],
  zones: ["*"],
};

function normalCredential(entry: YamlCredential, directory: string): CredentialConfig {
  const { name, token_file: file, token_env: env = "", accounts = ["*"], zones = ["*"] } = entry;
  return { name, source: secretSource(file, env, directory) ?? { env }, accounts, zones };
}

function normalNotification(entry: YamlNotification, directory: string): NotificationConfig {
  const { name, type, zones = ["*"], severity = "info" } = entry;
  const { actors = type === "webhook" ? "full" : "masked" } = entry;
  return {
    name,
    type,
    url: secretSource(entry.url_file, entry.url_env, directory) ?? { url: entry.url ?? "" },
    secret: secretSource(entry.secret_file, entry.secret_env, directory),
    zones,
    severity,
    actors,
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

function normalLimits({
  max_delete_share: maxDeleteShare = 0.3,
  max_update_share: maxUpdateShare = 0.6,
  min_compared: minCompared = 3,
  max_fleet_share: maxFleetShare = 0.3,
  min_fleet: minFleet = 10,
  max_weakened: maxWeakened,
  weakening = "allow",
  contended_rounds: contendedRounds = 3,
  contended_window: contendedWindow = "1h",
  accept = [],
}: Optional<"limits"> = {}): Config["limits"] {
  return {
    maxDeleteShare: share(maxDeleteShare),
    maxUpdateShare: share(maxUpdateShare),
    minCompared,
    maxFleetShare: share(maxFleetShare),
    minFleet,
    ...(maxWeakened === undefined ? {} : { maxWeakened: zonesOrShare(maxWeakened) }),
    weakening,
    contendedRounds,
    contendedWindowMs: milliseconds(contendedWindow),
    accept,
  };
}

function normalHistory(
  directory: string,
  {
    path: file,
    max_age: maxAge = "9600h",
    max_size: maxSize = "64MiB",
    sign_key: signKey,
  }: Optional<"history"> = {},
): Config["history"] {
  return {
    path: absolute(directory, file),
    maxAgeMs: milliseconds(maxAge),
    maxBytes: bytes(maxSize),
    signKey: absolute(directory, signKey),
  };
}

function normalAudit({
  enabled = false,
  every = "60s",
  overlap = "10m",
  actors = "full",
}: Optional<"audit"> = {}): Config["audit"] {
  const follow = { everyMs: milliseconds(every), overlapMs: milliseconds(overlap) };
  return { follow: enabled ? follow : undefined, actors };
}

/** The names in the file and their item kinds. */
const itemKinds = { scripts: "script", connections: "connection", cookies: "cookie" } as const;

function normalInventory({
  enabled = false,
  every = "24h",
  kinds = ["scripts", "connections", "cookies"],
}: Optional<"inventory"> = {}): Config["inventory"] {
  if (!enabled) return undefined;
  return { everyMs: milliseconds(every), kinds: kinds.map((kind) => itemKinds[kind]) };
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

function absolute(directory: string, file: string | undefined): string | undefined {
  return file === undefined ? undefined : path.resolve(directory, file);
}

/** By default beside the history. */
function statePath(directory: string, { state, history }: ConfigFile): string | undefined {
  if (state?.path !== undefined) return path.resolve(directory, state.path);
  if (history?.path === undefined) return undefined;
  return path.join(path.dirname(path.resolve(directory, history.path)), "state");
}

/** Bytes of `512KiB`, `64MiB` or `1GiB`; the schema allows no other text. */
function bytes(size: string): number {
  const exponent = ["KiB", "MiB", "GiB"].findIndex((unit) => size.endsWith(unit)) + 1;
  return Number.parseInt(size, 10) * 1024 ** exponent;
}

/** A whole number counts zones; all else is a share of them. */
function zonesOrShare(value: number | string): { readonly zones: number; readonly share: number } {
  return typeof value === "number" && Number.isInteger(value)
    ? { zones: value, share: 0 }
    : { zones: 0, share: share(value) };
}

/** A share as a number; `30%` is 0.3. */
function share(value: number | string): number {
  return typeof value === "number" ? value : Number(value.replace("%", "")) / 100;
}
