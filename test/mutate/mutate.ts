import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";

import { seededRandom } from "../../src/emulator/control/faults.ts";
import type { Order, Verdict } from "./mutant-worker.ts";
import { type Mutation, mutationsOf } from "./mutations.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** Where else than in the folder of its own name a room is tested, in the order in which it is asked. */
const alsoTestedIn: Readonly<Record<string, readonly string[]>> = {
  plan: [
    "test/render/",
    "test/reconcile/apply-saved.test.ts",
    "test/reconcile/zone-runner.test.ts",
  ],
  reconcile: [
    "test/daemon/run.test.ts",
    "test/daemon/restart.test.ts",
    "test/daemon/quota.test.ts",
  ],
  api: ["test/cli/exit-codes.test.ts", "test/cli/flow.test.ts"],
  impact: ["test/reconcile/read-impact.test.ts", "test/cli/impact.test.ts"],
  syntax: [
    "test/plan/policy-effect.test.ts",
    "test/desired/file-errors.test.ts",
    "test/impact/",
    "test/web/reconcile-request.test.ts",
  ],
  desired: ["test/cli/validate-show.test.ts"],
  telemetry: ["test/daemon/"],
};

interface Mutant extends Mutation {
  readonly file: string;
  readonly nth: number;
}

const usage = `usage: npm run mutate -- ROOM [--sample N] [--seed N] [--limit SECONDS] [--minutes N]

Changes one operator, condition, constant, statement or value of src/ROOM at a time, and runs the tests that should notice.
ROOM is a folder of src, or a part of a path in it (plan/guard).
  --sample N        try N mutants, chosen by the seed (60; 0 for all)
  --seed N          which ones (1)
  --limit SECONDS   a mutant whose tests take longer is killed: it may loop for ever (120)
  --minutes N       begin no mutant after that time (60)`;

/** Mutants of a room, those of a sample in the order of the files. */
function mutantsOf(room: string, sample: number, seed: number): readonly Mutant[] {
  const all = globSync("src/**/*.ts", { cwd: root })
    .filter((file) => file.startsWith(`src/${room}`))
    .toSorted()
    .flatMap((file) =>
      mutationsOf(readFileSync(path.join(root, file), "utf8")).map((mutation, nth) => {
        return { ...mutation, file, nth };
      }),
    );
  if (sample === 0 || sample >= all.length) return all;
  const random = seededRandom(seed);
  const chosen = new Set<number>();
  while (chosen.size < sample) chosen.add(Math.floor(random() * all.length));
  return all.filter((_, index) => chosen.has(index));
}

/** The tests of a file: the one of its name, those of its room, and those of the rooms that use it. */
function testsOf(file: string): readonly string[] {
  const [, room = ""] = file.split("/");
  const own = `test/${room}/${path.basename(file, ".ts")}.test.ts`;
  const mirrored = existsSync(path.join(root, own)) ? [own] : [];
  return [...mirrored, `test/${room}/`, ...(alsoTestedIn[room] ?? [])];
}

/** A process that tries mutants. One that hangs is ended with all that it started, and another takes its place. */
class MutantProcess implements Disposable {
  #child: ChildProcess | undefined;

  /** Whether a mutant is killed; a mutant whose tests do not end in time is. */
  async try(order: Order, seconds: number): Promise<boolean> {
    const child = (this.#child ??= this.#start());
    const limit = AbortSignal.timeout(seconds * 1_000);
    try {
      child.send(order);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the worker sends nothing else
      const [verdict] = (await once(child, "message", { signal: limit })) as [Verdict];
      return verdict.isKilled;
    } catch (error) {
      if (!limit.aborted) throw error;
      this[Symbol.dispose]();
      return true;
    }
  }

  [Symbol.dispose](): void {
    const { pid } = this.#child ?? {};
    this.#child = undefined;
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  }

  #start(): ChildProcess {
    return fork(path.join(import.meta.dirname, "mutant-worker.ts"), [], {
      // Its own process group: vitest starts processes that may not listen any more.
      detached: true,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: { PROPERTY_CASES_FACTOR: "0.2", ...process.env },
    });
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      sample: { type: "string", default: "60" },
      seed: { type: "string", default: "1" },
      limit: { type: "string", default: "120" },
      minutes: { type: "string", default: "60" },
    },
  });
  const [room] = positionals;
  const mutants =
    room === undefined ? [] : mutantsOf(room, Number(values.sample), Number(values.seed));
  const [first] = mutants;
  if (room === undefined || first === undefined) {
    process.stderr.write(`${usage}\n`);
    process.exitCode = 1;
    return;
  }
  const end = performance.now() + Number(values.minutes) * 60_000;
  using runner = new MutantProcess();
  const seconds = Number(values.limit);
  if (await runner.try({ file: first.file, nth: -1, tests: testsOf(first.file) }, 10 * seconds)) {
    throw new Error(`the tests of ${room} fail without any mutant`);
  }
  let tried = 0;
  const survivors: Mutant[] = [];
  for (const mutant of mutants) {
    if (performance.now() > end) break;
    const { file, nth, line, how } = mutant;
    const isKilled = await runner.try({ file, nth, tests: testsOf(file) }, seconds);
    tried += 1;
    if (!isKilled) survivors.push(mutant);
    process.stdout.write(isKilled ? "." : `\nsurvived ${file}:${line}: ${how}\n`);
  }
  const share = ((100 * (tried - survivors.length)) / tried).toFixed(1);
  process.stdout.write(
    `\n${room}: ${tried} mutants, ${survivors.length} survived, ${share} % killed`,
  );
  process.stdout.write(` (seed ${values.seed})\n`);
  process.exitCode = survivors.length === 0 ? 0 : 2;
}

await main();
