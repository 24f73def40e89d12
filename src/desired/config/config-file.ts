// Made from schemas/zonewarden.schema.json by `npm run generate`; a test compares them.

export type YamlPatterns = string[];
export type YamlCron = string;
export type YamlTimezone = string;
export type YamlShare = number | string;

export interface ConfigFile {
  $schema?: string;
  version: 1;
  mode: "enforce" | "observe";
  api: {
    base_url?: string;
    allow_http: boolean;
    emulator?: {
      seed?: string;
      listen: string;
    };
    timeout: string;
    concurrency: number;
    ruleset_versions: "trust" | "read";
  };
  credentials?: YamlCredential[];
  desired: {
    path: string;
    owner: string;
    adopt: "explicit" | "on_first_apply";
  };
  lint: {
    [k: string]:
      | "off"
      | "warning"
      | "error"
      | {
          [k: string]: "off" | "warning" | "error";
        };
  };
  schedule: {
    cron: YamlCron | YamlCron[];
    timezone: YamlTimezone;
    on_change: boolean;
    debounce: string;
  };
  limits: {
    max_delete_share: number | string;
    max_update_share: number | string;
    min_compared: number;
    max_fleet_share: number | string;
    min_fleet: number;
    max_weakened?: number | string;
    weakening: "allow" | "refuse";
    quota: {
      free?: YamlQuota;
      pro?: YamlQuota;
      business?: YamlQuota;
      enterprise?: YamlQuota;
    };
    contended_rounds: number;
    contended_window: string;
    accept: string[];
  };
  rollout?: {
    waves?: YamlWave[];
    soak: string;
    applies_to: "may_break" | "weakens" | "all";
    token_file?: string;
    gate?: {
      violations_per_10k_requests?: number;
      blocked_per_10k_requests?: number;
      requests_at_least: number;
    };
  };
  budget: {
    requests: number;
    window: string;
    reserve: number | string;
  };
  windows: YamlWindow[];
  server: {
    listen: string;
    hosts: string[];
    url?: string;
    reconcile_token_file?: string;
    reconcile_token_env?: string;
  };
  notifications: YamlNotification[];
  plan: {
    verify_key?: string;
  };
  history: {
    max_age: string;
    max_size: string;
    sign_key?: string;
  };
  store?: {
    path?: string;
    postgres?: {
      url_file?: string;
      url_env?: string;
      schema: string;
    };
  };
  cluster?: {
    lease: string;
    lease_duration: string;
    kubeconfig?: string;
  };
  impact: {
    malicious_below: number;
    fresh: string;
  };
  audit: {
    enabled: boolean;
    every: string;
    overlap: string;
    actors: "full" | "masked" | "none";
  };
  measurements?: {
    max_age: string;
  };
  inventory: {
    enabled: boolean;
    every: string;
    kinds: ("scripts" | "connections" | "cookies")[];
  };
  metrics: {
    zone_labels: string[];
  };
  log: {
    level: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
    format?: "json" | "pretty";
  };
}
export interface YamlCredential {
  name: string;
  token_file?: string;
  token_env?: string;
  accounts: YamlPatterns;
  zones: YamlPatterns;
}
export interface YamlQuota {
  custom_rules?: number;
  rate_limiting_rules?: number;
}
export interface YamlWave {
  zones?: string[];
  share?: YamlShare;
}
export interface YamlWindow {
  name: string;
  type: "freeze" | "allow";
  start: string;
  duration: string;
  timezone: YamlTimezone;
  strengthening: "allow" | "hold";
}
export interface YamlNotification {
  name: string;
  type: "webhook" | "slack" | "teams";
  url?: string;
  url_file?: string;
  url_env?: string;
  secret_file?: string;
  secret_env?: string;
  zones: YamlPatterns;
  labels?: string;
  severity: "info" | "error";
  actors?: "full" | "masked" | "none";
}
