import { globSync } from "node:fs";
import path from "node:path";

export interface BenchResult {
  readonly name: string;
  /** The measurement, for people. */
  readonly line: string;
  /** Whether the promised limit was kept. */
  readonly kept: boolean;
}

/** A benchmark that cannot run here. */
export interface SkippedBench {
  readonly name: string;
  /** What to run first. */
  readonly skipped: string;
}

/** A module of this folder that ends in `.bench.ts`. */
interface BenchModule {
  readonly bench: () => Promise<BenchResult | SkippedBench>;
}

function isBenchModule(value: unknown): value is BenchModule {
  return typeof value === "object" && value !== null && "bench" in value;
}

const wanted = process.argv[2] ?? "";
for (const file of globSync("*.bench.ts", { cwd: import.meta.dirname }).toSorted()) {
  if (!file.includes(wanted)) continue;
  const found: unknown = await import(path.join(import.meta.dirname, file));
  if (!isBenchModule(found)) throw new Error(`${file} exports no bench`);
  const result = await found.bench();
  if ("skipped" in result) {
    process.stdout.write(`SKIPPED ${result.name}: ${result.skipped}\n`);
    continue;
  }
  const { name, line, kept } = result;
  process.stdout.write(`${kept ? "kept  " : "BROKEN"} ${name}: ${line}\n`);
  if (!kept) process.exitCode = 1;
}
