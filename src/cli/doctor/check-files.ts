import path from "node:path";

import type { Config, SecretSource } from "../../desired/config/config.ts";
import type { LoadedConfig } from "../../desired/config/load-config.ts";
import type { LoadedFiles } from "../../desired/load/zone-file-loader.ts";
import type { Host } from "../../host/host.ts";
import { type PrintableDiagnostics, relativeDirectory } from "../../host/load.ts";
import { readText } from "../../host/named-files.ts";
import { readSecret } from "../../host/secrets.ts";
import { uncheckedScripts } from "../../reconcile/inventory/read-scripts.ts";
import { fileIn } from "../../render/diagnostic-formats.ts";
import { plural } from "../../render/format.ts";
import { type Diagnostic, isError, messageWithZones } from "../../zone/diagnostic.ts";
import { shownPath } from "../output/files.ts";
import { type CheckFinding, type CheckName, finding, fine } from "./finding.ts";

/** More mistakes of one kind are counted only. */
const maxShown = 10;

/** Whether `zonewarden.yaml` can be used. */
export function checkConfig(
  loaded: LoadedConfig,
  file: string,
  host: Host,
): readonly CheckFinding[] {
  const found = ofDiagnostics("configuration", loaded.diagnostics, loaded, host);
  if (loaded.config === undefined || found.length > 0) return found;
  const writes = loaded.config.mode === "observe" ? ": apply and run write nothing" : "";
  return [fine("configuration", `${file} is valid, mode ${loaded.config.mode}${writes}`)];
}

/** Whether the zone files can be used. Warnings are counted: `validate` shows them. */
export function checkZoneFiles(
  state: LoadedFiles,
  { inventory }: Config,
  host: Host,
): readonly CheckFinding[] {
  const errors = state.diagnostics.filter(isError);
  const found = ofDiagnostics("zone_files", errors, state, host);
  if (found.length > 0) return found;
  if (state.documents.length === 0) {
    const message = `${shownPath(state.directory, host)} declares no zone`;
    const remedy =
      "write what is live with zonewarden import --out DIRECTORY, or set desired.path to the directory of your zone files";
    return [finding("zone_files", "error", { message, remedy })];
  }
  const warnings = state.diagnostics.length;
  const more = warnings === 0 ? "" : `, ${plural(warnings, "warning")} (zonewarden validate)`;
  const count = `${plural(state.documents.length, "zone document")} in ${plural(state.files, "file")}`;
  const unchecked = uncheckedScripts(inventory?.kinds ?? [], state.documents);
  return [
    fine("zone_files", `${count}: valid${more}`),
    ...(unchecked.length === 0 ? [] : [withoutChecks(unchecked.length)]),
  ];
}

function withoutChecks(count: number): CheckFinding {
  const who = count === 1 ? "1 zone document declares" : `${count} zone documents declare`;
  return finding("zone_files", "warning", {
    message: `${who} authorised scripts, and nothing checks them: the daemon does not read the inventory of scripts`,
    remedy: "set inventory.enabled in the configuration, with scripts in inventory.kinds",
  });
}

/** The mistakes in files or in what they select, the first ten in full. */
export function ofDiagnostics(
  check: CheckName,
  diagnostics: readonly Diagnostic[],
  printable: PrintableDiagnostics,
  host: Host,
): readonly CheckFinding[] {
  const directory = relativeDirectory(printable, host);
  const found = diagnostics.slice(0, maxShown).map((each) => {
    const { code, severity, place } = each;
    const file = path.isAbsolute(place.file)
      ? shownPath(place.file, host)
      : fileIn(directory, place.file);
    const message = `${file}:${place.line}: ${messageWithZones(each)}`;
    const remedy = each.remedy === "" ? `see zonewarden explain ${code}` : each.remedy;
    return finding(check, severity, { code, message, remedy });
  });
  const more = diagnostics.slice(maxShown);
  if (more.length === 0) return found;
  const status = more.some(isError) ? "error" : "warning";
  const message = `${plural(more.length, "more diagnostic")} of this kind`;
  const remedy = check === "zones" ? "run zonewarden plan" : "run zonewarden validate";
  return [...found, finding(check, status, { message, remedy })];
}

/** Whether the secrets can be read that the configuration names beside the tokens, and the key of saved plans. */
export async function checkSecrets(config: Config, host: Host): Promise<readonly CheckFinding[]> {
  const { notifications, server, plan } = config;
  const sources = [
    ...notifications.flatMap(({ name, url, secret }) => [
      { key: `the URL of the notification ${name}`, source: "url" in url ? undefined : url },
      { key: `the signing key of the notification ${name}`, source: secret },
    ]),
    { key: "the token of the reconcile endpoint", source: server.reconcileToken },
  ];
  const wanted = sources.flatMap(({ key, source }) =>
    source === undefined ? [] : [{ key, source }],
  );
  const found = await Promise.all(
    wanted.map(async ({ key, source }) => {
      const why = await whyUnreadable(source, host);
      return why === undefined ? [] : [unreadable(key, why, source)];
    }),
  );
  const keys = plan.verifyKey === undefined ? [] : await checkKey(plan.verifyKey, host);
  const missing = [...found.flat(), ...keys];
  const count = wanted.length + (plan.verifyKey === undefined ? 0 : 1);
  if (missing.length > 0 || count === 0) return missing;
  return [fine("secrets", `${plural(count, "secret")} and keys beside the tokens: readable`)];
}

function unreadable(key: string, why: string, source: SecretSource): CheckFinding {
  const remedy =
    "env" in source
      ? "export the variable where zonewarden runs, or correct its name in the configuration"
      : "write the file, let the user that runs zonewarden read it, or correct its path in the configuration";
  return finding("secrets", "error", { message: `${key}: ${why}`, remedy });
}

async function whyUnreadable(source: SecretSource, host: Host): Promise<string | undefined> {
  try {
    return (await readSecret(source, host)) === "" ? "its file is empty" : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : "it cannot be read";
  }
}

async function checkKey(file: string, host: Host): Promise<readonly CheckFinding[]> {
  const { why } = await readText(file, host);
  if (why === undefined) return [];
  const message = `plan.verify_key cannot be read: ${why}`;
  const remedy = "write the public key (PEM) to that file, or correct plan.verify_key";
  return [finding("secrets", "error", { message, remedy })];
}
