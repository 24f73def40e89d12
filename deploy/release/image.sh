#!/usr/bin/env bash
# Builds the image with buildah, without a network for its bases:
#
#   image.sh STORE OUT EPOCH VERSION REVISION
#
# STORE has the bases that bases.sh made, or that `buildah pull` got (BUILDER and RUNTIME name others than those of bases.sh). OUT becomes
# an OCI archive. The same sources, bases and EPOCH (the time of every file, in seconds) give the same bytes. Needs root.
set -euo pipefail

store=$1 out=$2 epoch=$3 version=$4 revision=$5
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/zonewarden-image.XXXXXX")
trap 'rm -rf "$work"' EXIT
# shellcheck source=storage.sh
. "$here/storage.sh"

# How npm of this machine reaches the registry, its settings and the certificates; and the packages that it has already.
volumes=()
for file in "$HOME/.npmrc:/root/.npmrc:ro" "${NODE_EXTRA_CA_CERTS:-}:/etc/ssl/certs/ca-certificates.crt:ro" \
  "$(npm config get cache --loglevel=error):/root/.npm"; do
  if [ -e "${file%%:*}" ]; then volumes+=(--volume "$file"); fi
done

storage build --isolation chroot --pull-never --network host "${volumes[@]}" --timestamp "$epoch" \
  --build-arg "BUILDER=${BUILDER:-localhost/zonewarden-builder}" --build-arg "RUNTIME=${RUNTIME:-localhost/zonewarden-runtime}" \
  --build-arg "VERSION=$version" --build-arg "REVISION=$revision" \
  --file "$here/../Dockerfile" --ignorefile "$here/../Dockerfile.dockerignore" --tag "localhost/zonewarden:$version" \
  "$here/../.." >&2
# A directory first: buildah writes the times of the day into an archive.
storage push --quiet --format oci "localhost/zonewarden:$version" "oci:$work/image:$version" >&2
tar --create --file "$out" --directory "$work/image" --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner \
  --mode=u=rwX,go=rX --format=ustar .
