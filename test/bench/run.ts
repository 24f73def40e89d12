import { globSync } from "node:fs";
import path from "node:path";

/** What a bench measured: a line for people, and whether what was promised was kept. */
export interface BenchResult {
  readonly name: string;
  readonly line: string;
  readonly kept: boolean;
}

/** A module of this folder that ends in `.bench.ts`. */
interface BenchModule {
  readonly bench: () => Promise<BenchResult>;
}

function isBenchModule(value: unknown): value is BenchModule {
  return typeof value === "object" && value !== null && "bench" in value;
}

const wanted = process.argv[2] ?? "";
for (const file of globSync("*.bench.ts", { cwd: import.meta.dirname }).toSorted()) {
  if (!file.includes(wanted)) continue;
  const found: unknown = await import(path.join(import.meta.dirname, file));
  if (!isBenchModule(found)) throw new Error(`${file} exports no bench`);
  const { name, line, kept } = await found.bench();
  process.stdout.write(`${kept ? "kept  " : "BROKEN"} ${name}: ${line}\n`);
  if (!kept) process.exitCode = 1;
}
