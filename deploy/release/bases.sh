#!/usr/bin/env bash
# Makes base images for ../Dockerfile from packages of Debian and the Node that npm installs with the project, for places that cannot
# pull the usual ones:
#
#   bases.sh STORE EPOCH    localhost/zonewarden-builder and localhost/zonewarden-runtime in the storage of buildah in STORE
#
# The runtime has what gcr.io/distroless/nodejs24 has: Node, its libraries, certificates, the user 65532, and a list of the packages
# in /var/lib/dpkg/status.d. No shell. EPOCH is the time of every file, in seconds. Needs root, buildah, apt and dpkg.
#
# With BUILDER and RUNTIME, names of images with their digests, it pulls these instead.
set -euo pipefail

store=$1 epoch=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/zonewarden-bases.XXXXXX")
trap 'rm -rf "$work"' EXIT
# shellcheck source=storage.sh
. "$here/storage.sh"

# Others, which the caller names by digest.
if [ -n "${BUILDER:-}" ] && [ -n "${RUNTIME:-}" ]; then
  for name in "$BUILDER" "$RUNTIME"; do storage pull --quiet "$name" >&2; done
  exit 0
fi

case $(uname -m) in x86_64) arch=x64 ;; aarch64) arch=arm64 ;; *) echo "bases.sh: no Node for $(uname -m)" >&2; exit 69 ;; esac
node=$root/node_modules/node-linux-$arch
[ -x "$node/bin/node" ] || { echo "bases.sh: $node is not there; run npm ci" >&2; exit 69; }

runtime="base-files ca-certificates gcc-$(dpkg-query -W -f '${Version}' libgcc-s1 | sed 's/\..*//')-base libc6 libgcc-s1 libstdc++6 netbase"
# A shell for RUN, and what the recipe calls.
builder="$runtime coreutils dash findutils libacl1 libattr1 libgmp10 libpcre2-8-0 libselinux1"

mkdir "$work/debs"
# shellcheck disable=SC2086 -- a list of words
(cd "$work/debs" && apt-get download -qq -o APT::Sandbox::User=root $builder >&2)

# unpack DIRECTORY PACKAGE…: what the packages install, and their descriptions as distroless has them.
unpack() {
  local to=$1 name deb
  shift
  mkdir -p "$to/var/lib/dpkg/status.d"
  # base-files is the first: from Debian 13 on, it has the links /bin, /lib and /sbin.
  for name in "$@"; do
    deb=$(ls "$work/debs/${name}_"*.deb)
    dpkg-deb --extract "$deb" "$to"
    dpkg-deb --field "$deb" >"$to/var/lib/dpkg/status.d/$name"
    dpkg-deb --ctrl-tarfile "$deb" | tar -xO ./md5sums >"$to/var/lib/dpkg/status.d/$name.md5sums"
  done
  rm -rf "$to"/usr/share/{man,locale,info,lintian,bug}
  find "$to/usr/share/ca-certificates" -name '*.crt' -print0 | sort -z | xargs -0 cat >"$work/certificates"
  mkdir -p "$to/etc/ssl/certs" "$to/tmp" "$to/root" "$to/home/nonroot" "$to/proc" "$to/sys" "$to/dev"
  mv "$work/certificates" "$to/etc/ssl/certs/ca-certificates.crt"
  printf 'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n' >"$to/etc/passwd"
  printf 'root:x:0:\nnonroot:x:65532:\n' >"$to/etc/group"
  printf 'hosts: files dns\n' >"$to/etc/nsswitch.conf"
  chmod 1777 "$to/tmp"
  chown 65532:65532 "$to/home/nonroot"
}

# commit NAME DIRECTORY CONFIG…: an image with these files as its only layer.
commit() {
  local name=$1 from=$2 container
  shift 2
  container=$(storage from scratch)
  storage copy --quiet "$container" "$from" / >&2
  storage config "$@" "$container" >&2
  storage commit --quiet --rm --timestamp "$epoch" "$container" "localhost/$name" >&2
}

# shellcheck disable=SC2086
unpack "$work/runtime" $runtime
mkdir -p "$work/runtime/nodejs/bin"
cp "$node/bin/node" "$work/runtime/nodejs/bin/node"
cp "$node/LICENSE" "$work/runtime/nodejs/LICENSE"
commit zonewarden-runtime "$work/runtime" --user 65532 --workingdir /home/nonroot \
  --env PATH=/usr/bin:/nodejs/bin --env SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt
rm -rf "$work/runtime"

# shellcheck disable=SC2086
unpack "$work/builder" $builder
cp "$node/bin/node" "$work/builder/usr/bin/node"
npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
mkdir -p "$work/builder/usr/lib/node_modules"
cp -r "$npm" "$work/builder/usr/lib/node_modules/npm"
for name in npm npx; do ln -s "../lib/node_modules/npm/bin/$name-cli.js" "$work/builder/usr/bin/$name"; done
commit zonewarden-builder "$work/builder" --env PATH=/usr/bin:/usr/sbin:/bin:/sbin \
  --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
