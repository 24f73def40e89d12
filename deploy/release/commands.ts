import { spawnSync } from "node:child_process";

/** How a program is run. */
export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program and gives its stdout; what it says on stderr is passed on. Throws where it fails. */
export function runTool(
  file: string,
  args: readonly string[],
  { cwd, env }: RunOptions = {},
): string {
  const { status, stdout, error } = spawnSync(file, args, {
    encoding: "utf8",
    env: { ...process.env, ...env },
    maxBuffer: 2 ** 28,
    stdio: ["ignore", "pipe", "inherit"],
    ...(cwd === undefined ? {} : { cwd }),
  });
  if (error !== undefined) throw new Error(`${file} cannot be run`, { cause: error });
  if (status !== 0) throw new Error(`${file} ${args.join(" ")} ended with ${status}`);
  return stdout;
}

/** Packs files of `from` into a compressed archive whose bytes depend on their names, texts and `epoch` alone. */
export function packFiles(
  out: string,
  from: string,
  epoch: number,
  names: readonly string[],
  folder: string,
): void {
  archiveFiles(out, from, epoch, names, [
    "--use-compress-program=gzip -n -9",
    `--transform=s,^,${folder}/,`,
  ]);
}

/** Packs files as `packFiles` does, as they are, or with further options of GNU tar. */
export function archiveFiles(
  out: string,
  from: string,
  epoch: number,
  names: readonly string[],
  options: readonly string[],
): void {
  runTool("tar", [
    "--create",
    `--file=${out}`,
    `--directory=${from}`,
    "--dereference",
    "--sort=name",
    `--mtime=@${epoch}`,
    "--owner=0",
    "--group=0",
    "--numeric-owner",
    "--mode=u=rwX,go=rX",
    "--format=ustar",
    ...options,
    ...names,
  ]);
}
