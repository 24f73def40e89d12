#!/usr/bin/env bash
# Installs what zonewarden needs beside its source, which the runner has fetched with this action. No package runs a script.
set -euo pipefail
root=$(cd "$GITHUB_ACTION_PATH/../.." && pwd)
# npm writes this file at the end of an installation: the second use in a job, or a runner that keeps it, needs no other.
if [ ! -e "$root/node_modules/.package-lock.json" ]; then
  (cd "$root" && npm ci --omit=dev --ignore-scripts --no-audit --no-fund)
fi
# On Linux, npm installs Node too. Elsewhere, actions/setup-node installs it before this action.
node="$root/node_modules/.bin/node"
[ -x "$node" ] || node=node
echo "node=$node" >> "$GITHUB_OUTPUT"
