import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

import type { Seed } from "../../src/emulator/seed/seed.ts";
import type { Host } from "../../src/host/host.ts";
import type { Workplace } from "./command-line.ts";
import { type Example, exampleWithEmulator } from "./example.ts";

/** An empty repository beside an emulator; answers are typed one after the other, and then the input ends. */
export async function emptyRepository(
  answers?: readonly string[],
  ports: Partial<Host> = {},
  seed?: Seed,
): Promise<Example & { readonly asked: string[]; readonly address: string }> {
  const asked: string[] = [];
  const left = [...(answers ?? [])];
  const ask = (question: string): Promise<string | undefined> => {
    asked.push(question);
    return Promise.resolve(left.shift());
  };
  const example = await exampleWithEmulator({
    ...(seed && { seed }),
    ports: { env: {}, isInteractive: answers !== undefined, ask, ...ports },
  });
  const { place, emulator } = example;
  await place.remove("zones");
  await place.remove("zonewarden.yaml");
  await place.write(".git/HEAD", "ref: refs/heads/main\n");
  return { ...example, asked, address: new URL(emulator.url).host };
}

/** Every file of a place, but those of Git. */
export async function filesOf({ directory }: Workplace): Promise<Readonly<Record<string, string>>> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true });
  const names = found
    .filter((each) => each.isFile())
    .map((each) => path.relative(directory, path.join(each.parentPath, each.name)))
    .filter((name) => !name.startsWith(".git/"))
    .toSorted();
  const texts = names.map(async (name): Promise<[string, string]> => [
    name,
    await readFile(path.join(directory, name), "utf8"),
  ]);
  return Object.fromEntries(await Promise.all(texts));
}

/** What `init` writes of the zones of the example. */
export const zoneFiles = [
  "zones/blog.example.com.yaml",
  "zones/old.brand.example.yaml",
  "zones/profiles/health-checks.yaml",
  "zones/profiles/page-shield.yaml",
  "zones/shop.example.com.yaml",
  "zones/www.brand.example.yaml",
];
/** Where the workflow is. */
export const workflow = ".github/workflows/zonewarden.yaml";
/** All that it writes. */
export const everything = [".github/CODEOWNERS", workflow, ...zoneFiles, "zonewarden.yaml"];
