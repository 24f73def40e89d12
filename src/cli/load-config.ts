import { type Config, loadConfig, type LoadedConfig } from "../desired/config.ts";
import { cronMistake } from "../reconcile/schedule.ts";
import { withoutSecrets } from "../syntax/without-secrets.ts";
import type { Problem } from "../zone/problem.ts";
import type { Machine } from "./machine.ts";

/** Reads `zonewarden.yaml` and checks all of it, cron expressions with the scheduler itself. */
export async function readConfig(
  file: string,
  machine: Machine,
  signal: AbortSignal,
): Promise<LoadedConfig> {
  const loaded = await loadConfig(file, machine, signal);
  if (loaded.config === undefined) return loaded;
  const mistakes = cronProblems(file, loaded.config);
  if (mistakes.length === 0) return loaded;
  return { ...loaded, config: undefined, problems: [...loaded.problems, ...mistakes] };
}

function cronProblems(file: string, { schedule, windows }: Config): readonly Problem[] {
  const expressions = [
    ...schedule.cron.map((cron) => ({ cron, path: "schedule.cron" })),
    ...windows.map(({ start: cron }, index) => ({ cron, path: `windows[${index}].start` })),
  ];
  return expressions.flatMap(({ cron, path }): readonly Problem[] => {
    const mistake = cronMistake(cron);
    if (mistake === undefined) return [];
    return [
      {
        code: "WRONG_VALUE",
        severity: "error",
        place: { file, line: 1, column: 1 },
        path,
        message: withoutSecrets(`"${cron}" is no cron expression: ${mistake}`),
        remedy: "write five fields as in */15 * * * *: minute, hour, day, month, day of the week",
      },
    ];
  });
}
