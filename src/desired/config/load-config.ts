import path from "node:path";

import { errorCode } from "../../syntax/error-code.ts";
import { remembered } from "../../syntax/remembered.ts";
import { type Diagnostic, isError } from "../../zone/diagnostic.ts";
import { fileDiagnostic, inTextOrder } from "../diagnostics.ts";
import { redactedText, wrongFile } from "../file-kind.ts";
import type { FilePort } from "../file-system.ts";
import { configFileKind, configFileShape, schemaErrors } from "../json-schema.ts";
import { maxFileSize, reasonOf, textOf } from "../yaml/decode-text.ts";
import { readYaml } from "../yaml/read-yaml.ts";
import type { Config } from "./config.ts";
import { withDefaults } from "./defaults.ts";
import { normalizeConfig } from "./normalize-config.ts";
import { validateConfig } from "./validate-config.ts";

/** A configuration file after loading. */
export interface LoadedConfig {
  /** `undefined` if a diagnostic is an error. */
  readonly config: Config | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Prefix of file names in diagnostics: none, the path is shown as the user gave it. */
  readonly directory: "";
  /** Redacted text of the file, by its name. */
  readonly sources: ReadonlyMap<string, string>;
}

/** What loading needs from other modules. */
export interface ConfigPorts {
  readonly files: FilePort;
  /** Why a cron expression is invalid; `undefined` if it is valid. */
  readonly cronError: (expression: string) => string | undefined;
}

/** Loads `zonewarden.yaml`. Relative paths in it are relative to its directory. */
export async function loadConfig(
  file: string,
  ports: ConfigPorts,
  signal: AbortSignal,
): Promise<LoadedConfig> {
  const text = await readConfigFile(file, ports.files, signal);
  if (typeof text !== "string") {
    return { config: undefined, diagnostics: [text], directory: "", sources: new Map() };
  }
  return knownTexts(`${file}\n${text}`, () => {
    const { config, diagnostics } = parseConfig(file, text, ports);
    const failed = diagnostics.some(isError);
    const redacted = redactedText(text, configFileKind);
    const sources = new Map(redacted === "" ? [] : [[file, redacted]]);
    return { config: failed ? undefined : config, diagnostics, directory: "", sources };
  });
}

/** All follows from the text and the name of the file, which the daemon reads again and again. */
const knownTexts = remembered<LoadedConfig>(4);

async function readConfigFile(
  file: string,
  files: FilePort,
  signal: AbortSignal,
): Promise<string | Diagnostic> {
  try {
    return textOf(file, await files.read(file, maxFileSize + 1, signal));
  } catch (error) {
    signal.throwIfAborted();
    const isMissing = errorCode(error) === "ENOENT";
    const remedy = isMissing
      ? "create it (`mode: observe` is enough), or give its path with --config"
      : "let the program read it, or give another path with --config";
    const message = `the file cannot be read: ${reasonOf(error)}`;
    return fileDiagnostic(file, "FILE_UNREADABLE", message, remedy);
  }
}

function parseConfig(
  file: string,
  text: string,
  { cronError }: ConfigPorts,
): Pick<LoadedConfig, "config" | "diagnostics"> {
  const yaml = readYaml(file, text);
  const [first, second] = yaml.documents;
  const wrong = wrongFile(file, text, yaml, configFileKind);
  if (wrong !== undefined) return { config: undefined, diagnostics: [wrong] };
  // The schema says which value a key without one needs.
  const unreadable = yaml.diagnostics.filter(({ code }) => code !== "EMPTY_VALUE");
  if (unreadable.length > 0) return { config: undefined, diagnostics: unreadable };
  if (first === undefined || second !== undefined) {
    const found = first === undefined ? "the file is empty" : "the file has several documents";
    const remedy = "write one document with at least `mode: observe`";
    const diagnostic = fileDiagnostic(file, "FILE_EMPTY", found, remedy);
    return { config: undefined, diagnostics: [diagnostic] };
  }
  const document = { ...yaml, ...first };
  const value = withDefaults(first.value);
  const refused = schemaErrors(configFileShape, value, document, []);
  const other = validateConfig(value, refused, document, cronError);
  const directory = path.dirname(path.resolve(file));
  const config = configFileShape(value) ? normalizeConfig(value, directory, document) : undefined;
  return { config, diagnostics: inTextOrder([...refused, ...other]) };
}
