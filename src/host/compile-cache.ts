import { mkdirSync, statSync } from "node:fs";
import { enableCompileCache } from "node:module";
import path from "node:path";

/**
 * Lets Node keep compiled code in the user's cache directory, so that the next command starts
 * faster. Where that directory cannot be made, or somebody else could write there, nothing is kept:
 * whoever writes there decides what this user runs.
 *
 * Node itself honours `NODE_COMPILE_CACHE` and `NODE_DISABLE_COMPILE_CACHE`.
 */
export function keepCompiledCode(env: Readonly<Record<string, string | undefined>>): void {
  if (env["NODE_DISABLE_COMPILE_CACHE"] !== undefined) return;
  const directory = cacheDirectory(env);
  if (directory !== undefined && isPrivate(directory)) enableCompileCache(directory);
}

/** As the XDG specification says; a path that is not absolute is ignored. */
function cacheDirectory({
  XDG_CACHE_HOME: caches = "",
  HOME: home = "",
}: Readonly<Record<string, string | undefined>>): string | undefined {
  if (path.isAbsolute(caches)) return path.join(caches, "zonewarden");
  return path.isAbsolute(home) ? path.join(home, ".cache", "zonewarden") : undefined;
}

/** Makes the directory if there is none. */
function isPrivate(directory: string): boolean {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(directory);
    const isOurs = process.getuid === undefined || uid === process.getuid();
    return isOurs && (mode & 0o022) === 0;
  } catch {
    return false;
  }
}
