import type { Config } from "../desired/config.ts";
import { cronMistake } from "../reconcile/schedule.ts";
import { Fleet } from "../report/fleet.ts";
import { createLogger } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { connect } from "./connect.ts";
import { keep } from "./daemon.ts";
import { reachService } from "./emulator.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { startHistory } from "./keep-history.ts";
import { configOrProblems } from "./load.ts";
import { hasColor, type Machine } from "./machine.ts";
import { observerOf } from "./teller.ts";
import { version } from "./version.ts";

/** What `run` is told. */
export interface RunFlags {
  readonly config: string;
}

/** `zonewarden run`: keeps every zone as declared until a signal ends it. */
export async function run(flags: RunFlags, machine: Machine): Promise<ExitCode> {
  const config = await configOrProblems(flags.config, machine, AbortSignal.timeout(10_000));
  if (config === undefined || hasCronMistake(config, machine)) return exitCodes.invalid;
  await using reached = await reachService(config, machine, false);
  if (reached === undefined) return exitCodes.invalid;

  const metrics = createMetrics({ version, revision: "", nodeVersion: process.versions.node });
  await using service = connect(config, reached.baseUrl, machine, observerOf(metrics));
  const logger = createLogger({
    level: config.log.level,
    format: config.log.format ?? (machine.stdout.isTTY ? "pretty" : "json"),
    color: hasColor(machine, machine.stdout),
    destination: machine.stdout,
    clock: machine.clock,
    scrub: (line) => service.credentials.reduce((text, credential) => credential.scrub(text), line),
  });
  const emulator = reached.emulator?.url;
  await using history = await startHistory(config.history, logger, machine);
  const followers = [history.follower];
  const parts = { config, service, metrics, logger, fleet: new Fleet(), emulator };
  await keep({ ...parts, history: history.view, followers }, machine);
  return exitCodes.done;
}

function hasCronMistake({ schedule }: Config, machine: Machine): boolean {
  const mistakes = schedule.cron.flatMap((expression) => {
    const mistake = cronMistake(expression);
    return mistake === undefined ? [] : [`schedule.cron: "${expression}": ${mistake}`];
  });
  for (const mistake of mistakes) machine.stderr.write(`${mistake}\n`);
  return mistakes.length > 0;
}
