import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import {
  type JsonObject,
  coerceObject,
  coerceObjects,
  coerceText,
  coerceTexts,
} from "../../src/syntax/json.ts";
import { run } from "../deploy/tools.ts";
import { type Running, eventually, missing, startProgram } from "../support/processes.ts";

/** Why no container runs here; `undefined` where it does. */
export const noContainer: string | undefined =
  process.getuid?.() === 0
    ? (missing("buildah", "buildah") ?? missing("unshare", "util-linux") ?? cannotUnshare())
    : "containers need root here";

function cannotUnshare(): string | undefined {
  const { status, stderr } = spawnSync("unshare", ["--mount", "--pid", "--fork", "true"], {
    encoding: "utf8",
  });
  return status === 0 ? undefined : `no namespaces can be made here: ${stderr.trim()}`;
}

/** An image, unpacked. */
export interface Unpacked extends AsyncDisposable {
  readonly root: string;
  /** `Entrypoint`, `Cmd`, `Env` and `User` of the image. */
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly env: readonly string[];
  readonly user: string;
}

async function objectIn(file: string): Promise<JsonObject> {
  return coerceObject(JSON.parse(await readFile(file, "utf8")));
}

/** Unpacks an OCI archive. */
export async function unpack(archive: string): Promise<Unpacked> {
  const directory = await mkdtemp(path.join(tmpdir(), "zonewarden-container-"));
  await run("tar", ["-xf", archive, "-C", directory]);
  const blob = ({ digest }: { readonly digest?: unknown }): string =>
    path.join(directory, "blobs", coerceText(digest).replace(":", "/"));
  const index = await objectIn(path.join(directory, "index.json"));
  const manifest = await objectIn(blob(coerceObjects(index["manifests"])[0] ?? {}));
  const { config } = await objectIn(blob(coerceObject(manifest["config"])));
  const root = path.join(directory, "root");
  await mkdir(root);
  for (const layer of coerceObjects(manifest["layers"])) {
    await run("tar", ["-xzf", blob(layer), "-C", root]);
  }
  const { Entrypoint, Cmd, Env, User } = coerceObject(config);
  return {
    root,
    entrypoint: coerceTexts(Entrypoint),
    command: coerceTexts(Cmd),
    env: coerceTexts(Env),
    user: coerceText(User),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
}

/** A directory as the kubelet mounts a ConfigMap: links through `..data`, which it replaces at once. */
export async function writeMounted(
  directory: string,
  revision: number,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const at = path.join(directory, `..revision-${revision}`);
  await mkdir(at, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(at, name), text);
  await symlink(path.basename(at), path.join(directory, "..data_tmp"));
  await run("mv", ["-T", path.join(directory, "..data_tmp"), path.join(directory, "..data")]);
  for (const name of Object.keys(files)) {
    await unlink(path.join(directory, name)).catch(() => undefined);
    await symlink(`..data/${name}`, path.join(directory, name));
  }
}

/** How a container runs. */
export interface ContainerOptions {
  readonly image: Unpacked;
  /** Directories of this machine by where the container sees them, read-only. */
  readonly mounts: Readonly<Record<string, string>>;
  /** The file of a control group to enter; "" for none. */
  readonly procs: string;
  readonly cwd: string;
}

/** The steps in the namespaces of the container: `$1` is its root; mounts, variables and the program follow, with `--` between. */
const script = `set -e
root=$1; shift
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for name in null zero random urandom; do touch "$root/dev/$name"; mount --bind "/dev/$name" "$root/dev/$name"; done
while [ "$1" != -- ]; do
  mount --bind "$2" "$root$1"
  mount -o remount,bind,ro "$root$1"
  shift 2
done
shift
env=()
while [ "$1" != -- ]; do env+=("$1"); shift; done
shift
mount -o remount,bind,ro "$root"
exec env -i "\${env[@]}" "$(command -v setpriv)" --no-new-privs --inh-caps=-all \\
  --bounding-set=-all,+sys_chroot,+setuid,+setgid \\
  "$(command -v chroot)" --userspec="$USER" --groups="\${USER#*:}" "$root" "$@"`;

/** Starts a program of the image as its process 1, as the user of the image, with a root that is read-only. */
export async function startContainer(
  options: ContainerOptions,
  ...args: readonly string[]
): Promise<Running> {
  const { image, mounts, procs, cwd } = options;
  for (const at of Object.keys(mounts)) await mkdir(path.join(image.root, at), { recursive: true });
  const binds = Object.entries(mounts).flat();
  const words = "unshare --mount --pid --ipc --uts --fork bash -c".split(" ");
  words.push(script, "container", image.root, ...binds, "--", ...image.env, "--", ...args);
  const enter = procs === "" ? ":" : `echo $$ > ${procs}`;
  const running = startProgram("bash", ["-c", `${enter} && exec "$@"`, "enter", ...words], {
    cwd,
    env: { USER: image.user, PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
  });
  return {
    ...running,
    [Symbol.asyncDispose]: async () => {
      // What unshare asks the kernel for, to end with it, ends where a process changes its user.
      const child = await childOf(running);
      if (child > 0) process.kill(child, "SIGKILL");
      await running[Symbol.asyncDispose]();
    },
  };
}

/** The process that unshare started; 0 for none. */
async function childOf({ pid }: Running): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return Number(children.trim());
}

/** The id of process 1 of a container, as this machine sees it. */
export async function processOf(running: Running): Promise<number> {
  return eventually("the program runs", async () => {
    const child = await childOf(running);
    if (!(child > 0)) return undefined;
    const line = await readFile(`/proc/${child}/cmdline`, "utf8").catch(() => "");
    return line.startsWith("/nodejs/bin/node") ? child : undefined;
  });
}
