#!/usr/bin/env bash
# Prints the path of helm. Builds it once, from the Go module proxy, into a cache: the version is in go.mod beside this file.
#
# Without Go and without a filled cache it ends with code 69 and says so. The first build takes 3 minutes of processor time.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
fail() { echo "build.sh: $2" >&2; exit "$1"; }

version=$(sed -n 's|^\s*helm.sh/helm/v4 \(v[0-9.]*\).*$|\1|p' "$here/go.mod" | head -n 1)
key=$(cat "$here/go.mod" "$here/go.sum" | sha256sum | cut -c1-12)
bin=${XDG_CACHE_HOME:-$HOME/.cache}/helm-for-tests/$version-$(uname -s)-$(uname -m)-$key

if [ ! -x "$bin/helm" ]; then
  command -v go >/dev/null || fail 69 "go is not here, and helm must be built once: \
install Go $(sed -n 's/^go //p' "$here/go.mod") or newer (https://go.dev/dl), then call this again"
  mkdir -p "$bin"
  # One builder at a time; who waited finds the work done.
  exec 9>"$bin/lock"
  flock 9
  if [ ! -x "$bin/helm" ]; then
    stage=$(mktemp -d "$bin/build.XXXXXX")
    # With the flags of test/apiserver/up.sh, so that what both need is compiled once.
    (cd "$here" && CGO_ENABLED=0 GOFLAGS='' GOWORK=off go build -mod=readonly -trimpath -buildvcs=false \
      -gcflags 'all=-N -l -dwarf=false' -ldflags '-s -w' -o "$stage/helm" helm.sh/helm/v4/cmd/helm) >&2 ||
      { rm -rf "$stage"; fail 70 "the build failed"; }
    mv "$stage/helm" "$bin/helm"
    rmdir "$stage"
  fi
fi
echo "$bin/helm"
