import { fileVersion } from "../../desired/file-kind.ts";
import type { Host } from "../../host/host.ts";
import { version } from "../../host/version.ts";
import { inventoryFormat } from "../../render/inventory-formats.ts";
import { planFileFormat } from "../../render/plan-file.ts";
import { reportFormat } from "../../render/plan-json.ts";
import { statusFormat } from "../../web/json-view.ts";
import type { DefineCommand } from "../command-options.ts";
import { doctorFormat } from "../doctor/finding.ts";
import { exitCodes } from "../output/exit-codes.ts";

export const defineVersion: DefineCommand = (command, host) => {
  command
    .option("--json", "print it as JSON, with the formats that this version writes", false)
    .examples("zonewarden version", "zonewarden version --json | jq -r .commit")
    .runs(({ json }: { readonly json: boolean }) => {
      host.stdout.write(json ? jsonOf(host) : textOf(host));
      return exitCodes.done;
    });
};

/** Formats of the files that this version reads and of the JSON that it writes: a number that grows with each change that readers have to know. */
const formats = [
  `zonewarden-files/${fileVersion}`,
  reportFormat,
  planFileFormat,
  inventoryFormat,
  doctorFormat,
  statusFormat,
];

function jsonOf(host: Host): string {
  const facts = { version, commit: commitOf(host) ?? null, node: host.nodeVersion, formats };
  return `${JSON.stringify(facts, null, 2)}\n`;
}

function textOf(host: Host): string {
  const commit = commitOf(host) ?? "unknown";
  return `zonewarden ${version}\ncommit ${commit}\nNode ${host.nodeVersion}\n`;
}

/** The image sets the commit that it was built from (deploy/Dockerfile). */
function commitOf({ env }: Host): string | undefined {
  const commit = env["ZONEWARDEN_REVISION"] ?? "";
  return commit === "" ? undefined : commit;
}
