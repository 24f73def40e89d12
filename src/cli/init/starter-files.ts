import { version } from "../../host/version.ts";

/** Where a workflow belongs, from the root of a repository. */
export const workflowFile = ".github/workflows/zonewarden.yaml";

/** Where GitHub looks for owners, in its order: only the first file counts. */
export const ownersFiles = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"] as const;

/** A configuration that writes nothing yet. It holds no secret and names none. */
export function configText(emulator: string | undefined, directory: string): string {
  const api = `
api:
  # The emulator of the service on this machine. Remove it to use the service, with your token.
  emulator:
    listen: ${JSON.stringify(emulator)}
`;
  return `# The configuration of zonewarden. \`zonewarden schema zonewarden\` prints the schema of this file.

# observe: read, plan, and write nothing. When the plan shows what you want, set enforce.
mode: observe
${emulator === undefined ? "" : api}
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
