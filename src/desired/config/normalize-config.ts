import path from "node:path";

import { millisecondsOf } from "../../syntax/duration.ts";
import { hostWithPort } from "../../syntax/host-port.ts";
import type { Wave } from "../../zone/wave.ts";
import { zoneName } from "../../zone/zone.ts";
import { type Located, pathText, valuePlace } from "../location.ts";
import type { ConfigFile, YamlCredential, YamlNotification, YamlWave } from "./config-file.ts";
import type {
  Canary,
  Config,
  CredentialConfig,
  Listen,
  NotificationConfig,
  SecretSource,
} from "./config.ts";
import { tokenVariable } from "./defaults.ts";

/** The configuration with every path absolute, and every time and size as a number. */
export function normalizeConfig(file: ConfigFile, directory: string, document: Located): Config {
  const { desired, schedule, limits, budget, server, history, cluster, impact, inventory } = file;
  const page = URL.parse(server.url ?? "");
  return {
    mode: file.mode,
    api: apiOf(file.api, directory),
    credentials: file.credentials?.map((entry) => credentialOf(entry, directory)) ?? [
      environmentCredential,
    ],
    desired: { ...desired, path: path.resolve(directory, desired.path) },
    lint: lintRules(file.lint),
    schedule: {
      cron: [schedule.cron].flat(),
      timezone: schedule.timezone,
      onChange: schedule.on_change,
      debounceMs: millisecondsOf(schedule.debounce),
    },
    limits: {
      maxDeleteShare: shareOf(limits.max_delete_share),
      maxUpdateShare: shareOf(limits.max_update_share),
      minCompared: limits.min_compared,
      maxFleetShare: shareOf(limits.max_fleet_share),
      minFleet: limits.min_fleet,
      ...(limits.max_weakened !== undefined && {
        maxWeakened: zonesOrShare(limits.max_weakened),
      }),
      weakening: limits.weakening,
      quota: limits.quota,
      contendedRounds: limits.contended_rounds,
      contendedWindowMs: millisecondsOf(limits.contended_window),
      accept: limits.accept,
    },
    rollout: rolloutOf(file.rollout),
    rolloutToken: secretSource(file.rollout?.token_file, undefined, directory),
    canaries: canariesOf(file.rollout, document),
    budget: {
      requests: budget.requests,
      windowMs: millisecondsOf(budget.window),
      reserve: shareOf(budget.reserve),
    },
    windows: file.windows.map(({ name, type, start, duration, timezone, strengthening }) => ({
      name,
      type,
      start,
      durationMs: millisecondsOf(duration),
      timezone,
      letStrengtheningPass: strengthening === "allow",
    })),
    server: {
      listen: listenOf(server.listen),
      hosts: page === null ? server.hosts : [...server.hosts, page.hostname],
      url: page?.origin ?? "",
      reconcileToken: secretSource(
        server.reconcile_token_file,
        server.reconcile_token_env,
        directory,
      ),
    },
    notifications: file.notifications.map((entry) => notificationOf(entry, directory)),
    plan: { verifyKey: absolute(directory, file.plan.verify_key) },
    history: {
      maxAgeMs: millisecondsOf(history.max_age),
      maxBytes: bytes(history.max_size),
      signKey: absolute(directory, history.sign_key),
    },
    store: storeOf(file.store, directory),
    cluster: cluster && {
      lease: cluster.lease,
      leaseDurationMs: millisecondsOf(cluster.lease_duration),
      kubeconfig: absolute(directory, cluster.kubeconfig),
    },
    impact: { maliciousBelow: impact.malicious_below, freshMs: millisecondsOf(impact.fresh) },
    audit: auditOf(file.audit),
    measurements: file.measurements && { maxAgeMs: millisecondsOf(file.measurements.max_age) },
    inventory: inventory.enabled
      ? {
          everyMs: millisecondsOf(inventory.every),
          kinds: inventory.kinds.map((kind) => itemKinds[kind]),
        }
      : undefined,
    metrics: {
      zoneLabels: Object.fromEntries(
        file.metrics.zone_labels.map((key) => [key, metricLabelOf(key)]),
      ),
    },
    log: file.log,
  };
}

function rolloutOf(rollout: ConfigFile["rollout"]): Config["rollout"] {
  if (rollout?.waves === undefined) return undefined;
  const { waves, soak, applies_to: appliesTo, gate } = rollout;
  return {
    waves: waves.map(waveOf),
    soakMs: millisecondsOf(soak),
    appliesTo,
    ...(gate && {
      gate: {
        violationsPer10k: gate.violations_per_10k_requests,
        blockedPer10k: gate.blocked_per_10k_requests,
        requestsAtLeast: gate.requests_at_least,
      },
    }),
  };
}

function waveOf({ zones = [], share }: YamlWave): Wave {
  if (share !== undefined) return { by: "share", share: shareOf(share) };
  return { by: "zones", zones: zones.flatMap((name) => zoneName(name) ?? []) };
}

function canariesOf(rollout: ConfigFile["rollout"], document: Located): readonly Canary[] {
  const { waves = [] } = rollout ?? {};
  return waves.flatMap(({ zones = [] }, wave) =>
    zones.flatMap((text, nth): readonly Canary[] => {
      const [name, at] = [zoneName(text), ["rollout", "waves", wave, "zones", nth]];
      if (name === undefined) return [];
      return [{ name, place: valuePlace(document, at), path: pathText(at) }];
    }),
  );
}

/** The label of metrics for a label of zones: metrics allow letters, digits and underscores. */
export function metricLabelOf(key: string): string {
  return `label_${key.replaceAll(/[^a-z0-9]/g, "_")}`;
}

function apiOf(
  { base_url: url, emulator, timeout, concurrency, ruleset_versions }: ConfigFile["api"],
  directory: string,
): Config["api"] {
  const timeoutMs = millisecondsOf(timeout);
  const shared = { timeoutMs, concurrency, rulesetVersions: ruleset_versions };
  if (emulator === undefined) return { baseUrl: serviceUrl(url), emulator, ...shared };
  const listen = listenOf(emulator.listen);
  const baseUrl = `http://${hostWithPort(listen.host, listen.port)}/client/v4`;
  return { baseUrl, emulator: { seed: absolute(directory, emulator.seed), listen }, ...shared };
}

/** Without the trailing slash. */
function serviceUrl(url = "https://api.cloudflare.com/client/v4"): string {
  return url.replace(/\/+$/, "");
}

/** Host and port of `127.0.0.1:9464` or `[::1]:9464`. */
export function listenOf(text: string): Listen {
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

function credentialOf(entry: YamlCredential, directory: string): CredentialConfig {
  const { name, token_file: file, token_env: env = "", accounts, zones } = entry;
  return { name, source: secretSource(file, env, directory) ?? { env }, accounts, zones };
}

function notificationOf(entry: YamlNotification, directory: string): NotificationConfig {
  const { name, type, zones, severity, actors = type === "webhook" ? "full" : "masked" } = entry;
  return {
    name,
    type,
    url: secretSource(entry.url_file, entry.url_env, directory) ?? { url: entry.url ?? "" },
    secret: secretSource(entry.secret_file, entry.secret_env, directory),
    zones,
    labels: entry.labels ?? "",
    severity,
    actors,
  };
}

/** The schema requires one of both, and one source of the URL. */
function storeOf(store: ConfigFile["store"], directory: string): Config["store"] {
  if (store?.path !== undefined) return { path: path.resolve(directory, store.path) };
  if (store?.postgres === undefined) return undefined;
  const { url_file: file, url_env: env = "", schema } = store.postgres;
  return { postgres: { url: secretSource(file, env, directory) ?? { env }, schema } };
}

/** The schema allows only one of both. */
function secretSource(
  file: string | undefined,
  env: string | undefined,
  directory: string,
): SecretSource | undefined {
  if (file !== undefined) return { file: path.resolve(directory, file) };
  return env === undefined ? undefined : { env };
}

function lintRules(lint: ConfigFile["lint"]): Config["lint"] {
  return Object.entries(lint).flatMap(([code, levels]) => {
    const byFiles = typeof levels === "string" ? { "*": levels } : levels;
    return Object.entries(byFiles).map(([files, level]) => ({ code, files, level }));
  });
}

function auditOf({ enabled, every, overlap, actors }: ConfigFile["audit"]): Config["audit"] {
  const follow = { everyMs: millisecondsOf(every), overlapMs: millisecondsOf(overlap) };
  return { follow: enabled ? follow : undefined, actors };
}

/** The names in the file and their item kinds. */
const itemKinds = { scripts: "script", connections: "connection", cookies: "cookie" } as const;

function absolute(directory: string, file: string | undefined): string | undefined {
  return file === undefined ? undefined : path.resolve(directory, file);
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
    : { zones: 0, share: shareOf(value) };
}

/** A share as a number; `30%` is 0.3. */
export function shareOf(value: number | string): number {
  return typeof value === "number" ? value : Number(value.replace("%", "")) / 100;
}
