import path from "node:path";

import type { Config } from "../../desired/config/config.ts";
import { emulatorAddress } from "../../desired/config/defaults.ts";
import { version } from "../../host/version.ts";
import { hostWithPort } from "../../syntax/host-port.ts";
import type { NewFile } from "../output/files.ts";
import type { Session } from "../session/session.ts";

/** Where a workflow belongs, from the root of a repository. */
export const workflowFile = ".github/workflows/zonewarden.yaml";

/** Where GitHub looks for owners, in its order: only the first file counts. */
export const ownersFiles = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"] as const;

/**
 * A configuration that writes nothing yet. It holds no secret and names none.
 *
 * @param emulator its address; "" for the service.
 */
export function configText(emulator: string, directory: string): string {
  const api = `
api:
  # The emulator of the service on this machine. Remove it to use the service, with your token.
  emulator:
    listen: ${JSON.stringify(emulator)}
`;
  return `# The configuration of zonewarden. \`zonewarden schema zonewarden\` prints the schema of this file.

# observe: read, plan, and write nothing. When the plan shows what you want, set enforce.
mode: observe
${emulator === "" ? "" : api}
desired:
  path: ${directory}
`;
}

/** A workflow that validates every pull request, and plans those of the repository itself, in whose root `config` is. */
export function workflowText(config: string): string {
  const action = `zonewarden/zonewarden/deploy/github-action@v${version}`;
  const named = config === "zonewarden.yaml" ? "" : `\n          config: ${JSON.stringify(config)}`;
  return `# Checks each pull request: are the files valid, and what would they change?
name: zonewarden
on: pull_request
permissions:
  contents: read
concurrency:
  # Only the newest commit of a pull request counts.
  group: zonewarden-\${{ github.ref }}
  cancel-in-progress: true
jobs:
  validate:
    # Needs no token, so it is safe for pull requests from forks.
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
        with:
          persist-credentials: false
      - uses: ${action}
        with:
          command: validate${named}
  plan:
    # Pull requests from forks get no secret: they are planned when they are in a branch of this repository.
    if: github.event.pull_request.head.repo.full_name == github.repository
    needs: validate
    runs-on: ubuntu-latest
    permissions:
      contents: read
      pull-requests: write
    steps:
      - uses: actions/checkout@v5
        with:
          # The whole history, to plan only the zones that differ from the base.
          fetch-depth: 0
          persist-credentials: false
      - uses: ${action}
        with:
          command: plan
          token: \${{ secrets.ZONEWARDEN_API_TOKEN }}
          changed-since: origin/\${{ github.base_ref }}${named}
`;
}

/** The lines of CODEOWNERS for what decides about the protection. Paths are relative to the root of the repository. */
export function ownersText(config: string, directory: string, owners: readonly string[]): string {
  const lines = [`/${config}`, `/${directory}/`, "/.github/"];
  const head =
    "# Who must approve what decides about the protection of the zones, once the branch requires review from code owners.";
  return `${head}\n${lines.map((line) => `${line} ${owners.join(" ")}`).join("\n")}\n`;
}

/** The Git repository around the working directory. Paths are relative to the working directory. */
export interface Repository {
  readonly config: string;
  readonly directory: string;
  /** Where it begins; "" for the working directory; `undefined` where there is none. */
  readonly root: string | undefined;
}

/** What the next steps depend on. */
export interface Facts {
  readonly repository: Repository;
  readonly written: readonly string[];
  /** Lines for a CODEOWNERS that exists; "" for none. */
  readonly ownersLines: string;
  readonly tokenFile: string | undefined;
  /** The files for GitHub. */
  readonly files: readonly NewFile[];
  /** Whether the emulator ran before, and goes on. */
  readonly emulatorRuns: boolean;
}

/** What to do after `init`, as numbered lines. */
export function nextSteps(facts: Facts, { config, host }: Session): string {
  const { repository, written, ownersLines, tokenFile, files, emulatorRuns } = facts;
  const { emulator } = config.api;
  const tops = new Set(written.map((file) => path.normalize(file).split(path.sep)[0] ?? file));
  const begin = repository.root === undefined ? "git init && " : "";
  const named = repository.config === "zonewarden.yaml" ? "" : ` --config ${repository.config}`;
  const steps = [
    ...(tokenFile === undefined ? [] : tokenSteps(tokenFile, host.directory)),
    `Read the files and commit them: ${begin}git add ${[...tops].join(" ")} && git commit -m "Declare the zones as they are"`,
    ...(ownersLines === "" ? [] : [`Add these lines to CODEOWNERS:\n\n${ownersLines}`]),
    ...(files.some(({ file }) => file === workflowFile)
      ? [emulator === undefined ? serviceCheck : emulatedCheck]
      : []),
    ...(emulator === undefined || emulatorRuns ? [] : [emulatorStep(emulator)]),
    `Check the whole set-up: zonewarden doctor${named}`,
    `Change a zone file, and see what it would do: zonewarden plan${named}`,
    `To let zonewarden write, set mode: enforce in ${repository.config}; then: zonewarden apply${named}, or zonewarden run${named}`,
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

function emulatorStep({ listen: { host, port } }: NonNullable<Config["api"]["emulator"]>): string {
  const address = hostWithPort(host, port);
  const listen = address === emulatorAddress ? "" : ` --listen ${address}`;
  return `Keep an emulator running in another terminal, so that it remembers what you change: zonewarden emulate${listen}`;
}
