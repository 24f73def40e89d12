import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");
/** Where processes may keep what the next one can use. */
export const caches: string = path.join(root, "node_modules/.cache");

const cache = path.join(caches, "zonewarden-built");

/** Builds that are kept: another branch, or another run of the tests, may use the one before. */
const kept = 3;

/**
 * The entry file of the built program, as users start it. It is built when a file of `src` or `schemas` has changed. From
 * source, each process would strip the types of 500 files and compile the schemas first, which takes twice the time.
 *
 * Two processes may build at once: each builds in a directory of its own, and the second one's is dropped.
 */
export function builtMain(): string {
  const built = path.join(cache, keyOfSources());
  if (!existsSync(built)) build(built);
  return path.join(built, "dist/main.js");
}

/** Changes with each file that the program is built of. */
function keyOfSources(): string {
  const hash = createHash("sha256");
  const files = globSync(["src/**/*", "schemas/*", "package-lock.json", "tsconfig*.json"], {
    cwd: root,
  });
  for (const file of files.toSorted()) {
    const { size, mtimeMs } = statSync(path.join(root, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest("hex").slice(0, 16);
}

function build(built: string): void {
  mkdirSync(cache, { recursive: true });
  const own = mkdtempSync(path.join(cache, "building-"));
  const node = (...args: readonly string[]): void => {
    execFileSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  };
  const compiler = "node_modules/typescript/bin/tsc";
  // `npm run lint` checks the types.
  node(compiler, "-p", "tsconfig.build.json", "--noCheck", "--outDir", path.join(own, "dist"));
  node("src/desired/build-validators.ts", path.join(own, "dist/desired/schema-validators.cjs"));
  cpSync(path.join(root, "package.json"), path.join(own, "package.json"));
  for (const name of ["schemas", "docs"]) symlinkSync(path.join(root, name), path.join(own, name));
  try {
    renameSync(own, built);
  } catch (error) {
    rmSync(own, { recursive: true });
    if (!existsSync(built)) throw error;
  }
  dropOldBuilds();
}

function dropOldBuilds(): void {
  const builds = readdirSync(cache)
    .map((name) => path.join(cache, name))
    .toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const old of builds.slice(kept)) rmSync(old, { recursive: true, force: true });
}
