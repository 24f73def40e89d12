import path from "node:path";

import type { Config } from "../../desired/config/config.ts";
import { emulatorAddress } from "../../desired/config/defaults.ts";
import { hostWithPort } from "../../syntax/host-port.ts";
import type { NewFile } from "../output/new-files.ts";
import type { Session } from "../session/session.ts";
import type { Repository } from "./repository.ts";
import { workflowFile } from "./starter-files.ts";

type EmulatorConfig = NonNullable<Config["api"]["emulator"]>;

interface Facts {
  readonly repository: Repository;
  readonly written: readonly string[];
  /** Lines for a CODEOWNERS that exists; "" for none. */
  readonly ownersLines: string;
  readonly tokenFile: string | undefined;
  /** The files for GitHub. */
  readonly files: readonly NewFile[];
}

/** What to do after `init`, as numbered lines. */
export function nextSteps(facts: Facts, { config, host }: Session): string {
  const { repository, written, ownersLines, tokenFile, files } = facts;
  const { emulator } = config.api;
  const tops = new Set(written.map((file) => path.normalize(file).split(path.sep)[0] ?? file));
  const steps = [
    ...(tokenFile === undefined ? [] : tokenSteps(tokenFile, host.directory)),
    `Read the files and commit them:${repository.root === undefined ? " git init," : ""} git add ${[...tops].join(" ")}`,
    ...(ownersLines === "" ? [] : [`Add these lines to CODEOWNERS:\n\n${ownersLines}`]),
    ...(files.some(({ file }) => file === workflowFile)
      ? [emulator === undefined ? serviceCheck : emulatedCheck]
      : []),
    emulator === undefined ? "Check the whole set-up: zonewarden doctor" : emulatorStep(emulator),
    "Change a zone file, and see what it would do: zonewarden plan",
    `To let zonewarden write, set mode: enforce in ${repository.config}; then: zonewarden apply, or zonewarden run`,
  ];
  return `\nNext:\n${steps.map((step, index) => `  ${index + 1}. ${step}\n`).join("")}`;
}

function tokenSteps(file: string, directory: string): readonly string[] {
  const isInside = !path.relative(directory, path.resolve(directory, file)).startsWith("..");
  return [
    `Give the token to each command: export ZONEWARDEN_API_TOKEN="$(cat ${shellWord(file)})"`,
    ...(isInside ? [`Keep the token out of Git: add ${file} to .gitignore`] : []),
  ];
}

function shellWord(text: string): string {
  return /^[\w./~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

const serviceCheck =
  "On GitHub, store a token that may only read as the secret ZONEWARDEN_API_TOKEN, and require review from code owners for the branch";

const emulatedCheck =
  "On GitHub, the workflow plans against an emulator of its own, until the configuration names the service";

function emulatorStep({ listen: { host, port } }: EmulatorConfig): string {
  const address = hostWithPort(host, port);
  const listen = address === emulatorAddress ? "" : ` --listen ${address}`;
  return `Keep an emulator running, so that it remembers what you change: zonewarden emulate${listen}`;
}
