import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const root = path.resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

/** What a process printed, and the files of modules that it loaded. */
export interface BuiltRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly modules: readonly string[];
}

/** The program as it is released, in a directory of its own. */
export interface BuiltProgram extends AsyncDisposable {
  readonly directory: string;
  run(args: readonly string[], options: BuiltRunOptions): Promise<BuiltRun>;
}

interface BuiltRunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Writes each module that is loaded into a file, without what Node brings. */
const recorder = `import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
registerHooks({
  load(url, context, next) {
    if (url.startsWith("file:")) appendFileSync(process.env.MODULES, url + "\\n");
    return next(url, context);
  },
});
`;

/** Runs the steps of \`npm run build\` into a temporary directory. */
export async function buildProgram(): Promise<BuiltProgram> {
  const directory = await mkdtemp(path.join(tmpdir(), "zonewarden-built-"));
  const file = (name: string): string => path.join(directory, name);
  await Promise.all([
    cp(path.join(root, "package.json"), file("package.json")),
    cp(path.join(root, "schemas"), file("schemas"), { recursive: true }),
    symlink(path.join(root, "node_modules"), file("node_modules")),
    writeFile(file("recorder.mjs"), recorder),
  ]);
  const inRoot = { cwd: root };
  const compiler = path.join(root, "node_modules/typescript/bin/tsc");
  const options = ["-p", "tsconfig.build.json", "--outDir", file("dist")];
  await run(process.execPath, [compiler, ...options], inRoot);
  const validators = file("dist/desired/schema-validators.cjs");
  await run(process.execPath, ["src/desired/build-validators.ts", validators], inRoot);
  return {
    directory,
    run: (args, choice) => runBuilt(directory, args, choice),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

async function runBuilt(
  directory: string,
  args: readonly string[],
  { cwd, env = {} }: BuiltRunOptions,
): Promise<BuiltRun> {
  const list = path.join(directory, `modules-${crypto.randomUUID()}`);
  await writeFile(list, "");
  const node = ["--import", path.join(directory, "recorder.mjs")];
  const main = path.join(directory, "dist/main.js");
  const ended = Promise.withResolvers<Omit<BuiltRun, "modules">>();
  execFile(
    process.execPath,
    [...node, main, ...args],
    { cwd, env: { NODE_DISABLE_COMPILE_CACHE: "1", ...env, MODULES: list } },
    (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === "number") {
        ended.resolve({ code, stdout, stderr });
        return;
      }
      ended.reject(new Error(`the program did not end by itself: ${stderr}`, { cause: error }));
    },
  );
  const result = await ended.promise;
  return { ...result, modules: (await readFile(list, "utf8")).split("\n") };
}

/** The packages of ours that were loaded. */
export function packagesOf({ modules }: Pick<BuiltRun, "modules">): readonly string[] {
  const names = modules.flatMap((url) => {
    const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
    return name === undefined ? [] : [name];
  });
  return [...new Set(names)].toSorted();
}
