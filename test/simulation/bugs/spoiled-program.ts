import { globSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import type { simulate } from "../simulation.ts";
import type { PlantedBug } from "./planted-bug.ts";

const root = path.resolve(import.meta.dirname, "../../..");

/** The files that each file of ours imports. */
const imports: ReadonlyMap<string, readonly string[]> = new Map(
  globSync("{src,test/support,test/simulation}/**/*.ts", { cwd: root }).map((name) => {
    const file = path.join(root, name);
    const found = readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
    const targets = [...found].map(([, target = ""]) => path.resolve(path.dirname(file), target));
    return [file, targets];
  }),
);

/** The file and all that import it, also by way of others. */
function importersOf(file: string): ReadonlySet<string> {
  const found = new Set([file]);
  for (const importer of found) {
    for (const [other, targets] of imports) if (targets.includes(importer)) found.add(other);
  }
  return found;
}

/** A bug on its way into the program. */
interface Spoiling {
  readonly file: string;
  readonly text: string;
  /** Files that are loaded anew. */
  readonly reloaded: ReadonlySet<string>;
}

const spoilings = new Map<string, Spoiling>();

const query = "bug";

function bugIn(url: string | undefined): string | null {
  return url?.startsWith("file:") === true ? new URL(url).searchParams.get(query) : null;
}

registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context);
    const bug = bugIn(context.parentURL);
    const spoiling = spoilings.get(bug ?? "");
    if (spoiling === undefined || !resolved.url.startsWith("file:")) return resolved;
    if (!spoiling.reloaded.has(fileURLToPath(resolved.url))) return resolved;
    return { ...resolved, url: `${resolved.url}?${query}=${bug ?? ""}` };
  },
  load: (url, context, next) => {
    const loaded = next(url, context);
    const spoiling = spoilings.get(bugIn(url) ?? "");
    if (spoiling === undefined || fileURLToPath(url) !== spoiling.file) return loaded;
    return { ...loaded, source: spoiling.text };
  },
});

/**
 * Loads the simulation with a bug in the program: with another text at one place of one file. All else stays as it is.
 *
 * @throws where the place is not there exactly once: then the bug has to be planted elsewhere.
 */
export async function spoiled({ name, file, from, to }: PlantedBug): Promise<typeof simulate> {
  const place = path.join(root, "src", file);
  const text = readFileSync(place, "utf8");
  if (text.split(from).length !== 2) throw new Error(`${file} does not have once: ${from}`);
  spoilings.set(name, {
    file: place,
    text: text.replace(from, () => to),
    reloaded: importersOf(place),
  });
  const url = pathToFileURL(path.join(root, "test/simulation/simulation.ts"));
  const loaded: unknown = await import(`${url.href}?${query}=${name}`);
  if (!isSimulation(loaded)) throw new Error("the simulation has another name");
  return loaded.simulate;
}

function isSimulation(value: unknown): value is { readonly simulate: typeof simulate } {
  return typeof value === "object" && value !== null && "simulate" in value;
}
