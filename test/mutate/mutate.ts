import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";

import { seededRandom } from "../../src/emulator/control/faults.ts";
import { MutantProcess } from "./mutant-process.ts";
import { type Mutation, mutationsOf } from "./mutations.ts";
import { type TestFile, mapRegions } from "./region-map.ts";
import { regionKeys } from "./regions.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** Where else than in the folder of its own name a room is tested. */
const alsoTestedIn: Readonly<Record<string, readonly string[]>> = {
  plan: [
    "test/render/",
    "test/reconcile/cause.test.ts",
    "test/reconcile/cause-of-resource.test.ts",
    "test/reconcile/releases.test.ts",
    "test/reconcile/zone-runner.test.ts",
  ],
  reconcile: [
    "test/daemon/run.test.ts",
    "test/daemon/restart.proof.ts",
    "test/daemon/adopt-by-itself.test.ts",
    "test/daemon/quota.test.ts",
    "test/memory/stored-revision.test.ts",
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
  history: [
    "test/cli/history.test.ts",
    "test/daemon/run-history.test.ts",
    "test/daemon/stored-fleet-reader.test.ts",
    "test/evidence/",
    "test/memory/store-laws.test.ts",
    "test/render/change-words.test.ts",
    "test/web/",
  ],
  memory: [
    "test/cli/adopt.test.ts",
    "test/cli/store.test.ts",
    "test/daemon/forged-files.test.ts",
    "test/daemon/leadership.test.ts",
    "test/daemon/run-history.test.ts",
    "test/daemon/stored-fleet-reader.test.ts",
    "test/history/",
    "test/upgrade/",
  ],
  cluster: ["test/daemon/leadership.test.ts", "test/memory/postgres-wrong-input.test.ts"],
  state: [
    "test/audit/",
    "test/daemon/reporter.test.ts",
    "test/daemon/run-history.test.ts",
    "test/history/history.test.ts",
    "test/history/rollout-json.test.ts",
    "test/memory/stored-rollout.test.ts",
    "test/notify/",
    "test/reconcile/",
    "test/render/",
    "test/telemetry/",
    "test/web/",
  ],
  daemon: ["test/cli/beside-daemon.proof.ts", "test/cli/plan-canaries.test.ts"],
  web: ["test/render/html.test.ts"],
  telemetry: ["test/daemon/"],
};

interface Mutant extends Mutation {
  readonly file: string;
  readonly nth: number;
  /** The part of the file that runs the mutant. */
  readonly region: string;
}

const usage = `usage: npm run mutate -- ROOM [--sample N] [--seed N] [--only PLACES] [--verbose] [--minutes N]

Changes one operator, condition, constant, statement, call or value of src/ROOM at a time, and runs the tests that run that line.
ROOM is a folder of src, or a part of a path in it (plan/guard).
  --sample N        try N mutants, chosen by the seed (60; 0 for all)
  --seed N          which ones (1)
  --only PLACES     try all mutants of files and lines (src/plan/change.ts:12,src/plan/plan.ts)
  --verbose         also print the tests that kill each mutant
  --minutes N       begin no mutant after that time (60)`;

function mutantsOf(file: string): readonly Mutant[] {
  const text = readFileSync(path.join(root, file), "utf8");
  const regionOf = regionKeys(text, file);
  return mutationsOf(text).map((mutation, nth) => ({
    ...mutation,
    file,
    nth,
    region: regionOf(mutation),
  }));
}

/** A part of the mutants, in their order. */
function sampleOf(all: readonly Mutant[], size: number, seed: number): readonly Mutant[] {
  if (size === 0 || size >= all.length) return all;
  const random = seededRandom(seed);
  const chosen = new Set<number>();
  while (chosen.size < size) chosen.add(Math.floor(random() * all.length));
  return all.filter((_, index) => chosen.has(index));
}

/** The tests that run a mutant: first those that killed most mutants of its file for their time, then the shortest. */
class TestOrder {
  readonly #tests: readonly TestFile[];
  readonly #kills = new Map<string, number>();

  constructor(tests: readonly TestFile[]) {
    this.#tests = tests;
  }

  testsOf({ file, region }: Mutant): readonly TestFile[] {
    const kills = (test: TestFile): number => this.#kills.get(`${file} ${test.file}`) ?? 0;
    return this.#tests
      .filter((test) => test.regions.has(region))
      .toSorted((a, b) => kills(b) / b.ms - kills(a) / a.ms || a.ms - b.ms);
  }

  noteKill({ file }: Mutant, test: string): void {
    this.#kills.set(`${file} ${test}`, (this.#kills.get(`${file} ${test}`) ?? 0) + 1);
  }
}

/** How long a file of tests may take, if the longest took so long with counters. */
function secondsFor(tests: readonly TestFile[]): number {
  return 30 + Math.ceil((5 * Math.max(...tests.map(({ ms }) => ms))) / 1_000);
}

/** What became of the mutants. */
class Tally {
  #tried = 0;
  #survived = 0;

  tried(isKilled: boolean): void {
    this.#tried += 1;
    if (!isKilled) this.#survived += 1;
  }

  get isClean(): boolean {
    return this.#survived === 0;
  }

  toString(): string {
    const killed = this.#tried - this.#survived;
    const share = ((100 * killed) / this.#tried).toFixed(1);
    return `${this.#tried} mutants, ${killed} killed (${share} %), ${this.#survived} survived`;
  }
}

/** Tries mutants one after the other. */
async function tryAll(
  mutants: readonly Mutant[],
  order: TestOrder,
  { end, isVerbose }: { readonly end: number; readonly isVerbose: boolean },
): Promise<Tally> {
  using runner = new MutantProcess();
  const tally = new Tally();
  for (const mutant of mutants) {
    if (performance.now() > end) break;
    const { file, nth, line, how } = mutant;
    const nearest = order.testsOf(mutant);
    const tests = nearest.map((each) => each.file);
    const killers =
      tests.length === 0 ? [] : await runner.try({ file, nth, tests }, secondsFor(nearest));
    for (const killer of killers) order.noteKill(mutant, killer);
    tally.tried(killers.length > 0);
    const place = `${file}:${line}: ${how}`;
    if (killers.length === 0) {
      process.stdout.write(
        `\nsurvived ${place}${tests.length === 0 ? " (no test runs it)" : ""}\n`,
      );
    } else {
      process.stdout.write(isVerbose ? `killed ${place} by ${killers.join(", ")}\n` : ".");
    }
  }
  return tally;
}

/** All tests that may kill mutants of a room, and what they run of it. */
async function testsFor(room: string, sources: readonly string[]): Promise<TestOrder> {
  const [folder = room] = room.split("/");
  const paths = [`test/${folder}/`, ...(alsoTestedIn[folder] ?? [])];
  return new TestOrder(await mapRegions(root, sources, paths));
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      sample: { type: "string", default: "60" },
      seed: { type: "string", default: "1" },
      minutes: { type: "string", default: "60" },
      only: { type: "string" },
      verbose: { type: "boolean", default: false },
    },
  });
  const [room = "?"] = positionals;
  const only = values.only?.split(",");
  const sources = globSync("src/**/*.ts", { cwd: root })
    .filter((file) => file.startsWith(`src/${room}`))
    .toSorted();
  const all = sources.flatMap(mutantsOf);
  const mutants =
    only === undefined
      ? sampleOf(all, Number(values.sample), Number(values.seed))
      : all.filter(({ file, line }) => only.includes(file) || only.includes(`${file}:${line}`));
  if (mutants.length === 0) {
    process.stderr.write(`${usage}\n`);
    process.exitCode = 1;
    return;
  }
  // Each mutant meets the same cases of properties, and snapshots are never written.
  process.env["CI"] = "true";
  process.env["PROPERTY_CASES_FACTOR"] ??= "0.2";
  const order = await testsFor(room, sources);
  const end = performance.now() + Number(values.minutes) * 60_000;
  const tally = await tryAll(mutants, order, { end, isVerbose: values.verbose });
  process.stdout.write(`\n${room}: ${tally.toString()} (seed ${values.seed})\n`);
  process.exitCode = tally.isClean ? 0 : 2;
}

await main();
