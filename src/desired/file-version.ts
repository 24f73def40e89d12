import { isJsonObject } from "../syntax/json.ts";
import type { Diagnostic } from "../zone/diagnostic.ts";
import { diagnosticIn } from "./diagnostics.ts";
import type { YamlText } from "./yaml/read-yaml.ts";

/**
 * The version of the form of zone files and of the configuration, which `version` at their top
 * level names.
 */
export const fileVersion = 1;

/**
 * The diagnostic of a file of a newer form, in place of one for each key that is unknown here;
 * `undefined` for the others.
 */
export function newerFile(yaml: YamlText): Diagnostic | undefined {
  const newer = yaml.documents.find(({ value }) => isNewer(versionIn(value)));
  if (newer === undefined) return undefined;
  return diagnosticIn(
    { ...yaml, ...newer },
    {
      code: "FILE_NEWER",
      path: ["version"],
      message: `the file has version ${String(versionIn(newer.value))}, and this program reads version ${fileVersion}`,
      remedy: "install a newer zonewarden, or write the file in the older form",
    },
  );
}

function versionIn(value: unknown): unknown {
  return isJsonObject(value) ? value["version"] : undefined;
}

function isNewer(version: unknown): boolean {
  return Number.isInteger(version) && Number(version) > fileVersion;
}
