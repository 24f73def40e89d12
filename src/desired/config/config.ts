import path from "node:path";

import type { Mode } from "../../zone/desired-zone.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import type { ItemKind } from "../../zone/inventory-item.ts";
import { problemOfFile } from "../diagnostics.ts";
import { foreignProblem, shownText } from "../file-kind.ts";
import type { FilePort } from "../file-system.ts";
import { configFileShape, configFileSort, shapeProblems } from "../json-schema.ts";
import { maxFileSize, reasonOf, textOf } from "../yaml/decode-text.ts";
import type { TextResult } from "../yaml/decode-text.ts";
import { readYaml } from "../yaml/read-yaml.ts";
import { normalConfig } from "./normalize-config.ts";
import { configProblems } from "./validate-config.ts";

/** An address to listen on. */
export interface Listen {
  readonly host: string;
  readonly port: number;
}

/** Where a secret is: in a file, by its absolute path, or in a variable of the environment. */
export type SecretSource = { readonly file: string } | { readonly env: string };

/** A token, and the accounts and zones that it serves: patterns in which `*` stands for any run of characters. */
export interface CredentialConfig {
  readonly name: string;
  readonly source: SecretSource;
  readonly accounts: readonly string[];
  readonly zones: readonly string[];
}

/** A time in which writing is allowed (`allow`: only then), or not (`freeze`). */
export interface WindowConfig {
  readonly name: string;
  readonly type: "allow" | "freeze";
  /** Cron expression of the moments at which the window opens. */
  readonly start: string;
  readonly durationMs: number;
  readonly timezone: string;
  /** Whether plans that only strengthen protection pass a freeze. */
  readonly letStrengtheningPass: boolean;
}

/** How far a run may go on its own before it waits for a person. */
export interface LimitsConfig {
  readonly maxDeleteShare: number;
  readonly maxUpdateShare: number;
  readonly minCompared: number;
  readonly maxFleetShare: number;
  readonly minFleet: number;
  readonly weakening: "allow" | "refuse";
  readonly contendedRounds: number;
  readonly contendedWindowMs: number;
  /** Hashes of held plans that may be carried out once. */
  readonly accept: readonly string[];
}

/** Somebody who is told what happens. */
export interface NotificationConfig {
  readonly name: string;
  readonly type: "webhook" | "slack" | "teams";
  readonly url: SecretSource | { readonly url: string };
  /** Key of the signature; `undefined`: nothing is signed. */
  readonly secret: SecretSource | undefined;
  readonly zones: readonly string[];
  readonly severity: "info" | "error";
}

/** What is kept of runs, and where: `path` is absolute, `undefined` for memory alone. */
export interface HistoryConfig {
  readonly path: string | undefined;
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

/** How often what browsers reported is looked at, and what of it. */
export interface InventoryConfig {
  readonly everyMs: number;
  readonly kinds: readonly ItemKind[];
}

/** How the program runs: `zonewarden.yaml` with every default filled in. */
export interface Config {
  readonly mode: Mode;
  readonly api: {
    /** Address of the service; of the embedded emulator's place where there is one. */
    readonly baseUrl: string;
    readonly emulator: { readonly seed: string | undefined; readonly listen: Listen } | undefined;
    readonly timeoutMs: number;
    readonly concurrency: number;
  };
  readonly credentials: readonly CredentialConfig[];
  /** `path` is absolute. */
  readonly desired: { readonly path: string; readonly owner: string };
  readonly schedule: {
    readonly cron: readonly string[];
    readonly timezone: string;
    readonly onChange: boolean;
    readonly debounceMs: number;
  };
  readonly limits: LimitsConfig;
  readonly budget: {
    readonly requests: number;
    readonly windowMs: number;
    readonly reserve: number;
  };
  readonly windows: readonly WindowConfig[];
  readonly server: {
    readonly listen: Listen;
    /** Token with which people ask for a look now; `undefined`: nobody can. */
    readonly reconcileToken: SecretSource | undefined;
  };
  readonly notifications: readonly NotificationConfig[];
  readonly history: HistoryConfig;
  readonly impact: {
    /** Integrity scores below this are malicious. */
    readonly maliciousBelow: number;
    /** What was seen within this time is in use. */
    readonly freshMs: number;
  };
  /** Looking at what browsers reported; `undefined`: off. */
  readonly inventory: InventoryConfig | undefined;
  readonly log: {
    readonly level: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
    readonly format: "json" | "pretty" | undefined;
  };
}

/** What reading the configuration came to: without errors a `config`, always the `problems` and the text they stand in. */
export interface LoadedConfig {
  readonly config: Config | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Where the file's name leads on from: nowhere, it is as it was given. */
  readonly directory: "";
  readonly sources: ReadonlyMap<string, string>;
}

/** What reading the configuration asks of others. */
export interface ConfigPorts {
  readonly files: FilePort;
  /** Why a cron expression cannot be used; `undefined` where it can. */
  readonly cronMistake: (expression: string) => string | undefined;
}

/** Reads `zonewarden.yaml`. Relative paths in it are relative to its own directory. */
export async function loadConfig(
  file: string,
  ports: ConfigPorts,
  signal: AbortSignal,
): Promise<LoadedConfig> {
  const { text, diagnostic } = await readConfigFile(file, ports.files, signal);
  if (text === undefined) {
    return { config: undefined, diagnostics: [diagnostic], directory: "", sources: new Map() };
  }
  const { config, diagnostics } = parseConfig(file, text, ports);
  const failed = diagnostics.some(({ severity }) => severity === "error");
  const shown = shownText(text, configFileSort);
  const sources = new Map(shown === "" ? [] : [[file, shown]]);
  return { config: failed ? undefined : config, diagnostics, directory: "", sources };
}

async function readConfigFile(
  file: string,
  files: FilePort,
  signal: AbortSignal,
): Promise<TextResult> {
  try {
    return textOf(file, await files.read(file, maxFileSize + 1, signal));
  } catch (error) {
    signal.throwIfAborted();
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    const words = {
      message: `the file cannot be read: ${reasonOf(error)}`,
      remedy: isMissing
        ? "write one, `mode: observe` is enough, or give its path with --config"
        : "let the program read it, or give the path of another with --config",
    };
    return { text: undefined, diagnostic: problemOfFile(file, "FILE_UNREADABLE", words) };
  }
}

interface ParsedConfig {
  readonly config: Config | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

function parseConfig(file: string, text: string, { cronMistake }: ConfigPorts): ParsedConfig {
  const yaml = readYaml(file, text);
  const [value, second] = yaml.documents;
  const located = { source: yaml.source, offsets: yaml.offsets, value };
  const foreign = foreignProblem(file, text, yaml, configFileSort);
  if (foreign !== undefined) return { config: undefined, diagnostics: [foreign] };
  if (yaml.diagnostics.length > 0) return { config: undefined, diagnostics: yaml.diagnostics };
  if (value === undefined || second !== undefined) {
    const message =
      value === undefined ? "the file says nothing" : "the file holds several documents";
    const words = { message, remedy: "write one document with at least `mode: observe`" };
    return { config: undefined, diagnostics: [problemOfFile(file, "FILE_EMPTY", words)] };
  }
  if (!configFileShape(value)) {
    return { config: undefined, diagnostics: shapeProblems(configFileShape, value, located, []) };
  }
  const config = normalConfig(value, path.dirname(path.resolve(file)));
  return { config, diagnostics: configProblems(value, config, located, cronMistake) };
}
