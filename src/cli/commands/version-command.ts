import { fileVersion } from "../../desired/file-kind.ts";
import { version } from "../../host/version.ts";
import { jsonText } from "../../render/format.ts";
import { inventoryFormat } from "../../render/inventory-formats.ts";
import { planFileFormat } from "../../render/plan-file.ts";
import { reportFormat } from "../../render/plan-json.ts";
import { textOrNull } from "../../syntax/json.ts";
import { statusFormat } from "../../web/json-view.ts";
import type { DefineCommand } from "../command-options.ts";
import { doctorFormat } from "../doctor/finding.ts";
import { exitCodes } from "../output/exit-codes.ts";

export const defineVersion: DefineCommand = (command, host) => {
  command
    .option("--json", "print it as JSON, with the formats that this version writes", false)
    .examples("zonewarden version", "zonewarden version --json | jq -r .commit")
    .runs(({ json }: { readonly json: boolean }) => {
      const { env, nodeVersion: node, stdout } = host;
      // The image sets the commit that it was built from (deploy/Dockerfile).
      const commit = textOrNull(env["ZONEWARDEN_REVISION"] ?? "");
      stdout.write(
        json
          ? jsonText({ version, commit, node, formats })
          : `zonewarden ${version}\ncommit ${commit ?? "unknown"}\nNode ${node}\n`,
      );
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
