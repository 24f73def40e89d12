import { watchZoneFiles } from "../../desired/load/watch-zone-files.ts";
import { isAborted, joinSignals } from "../../zone/signals.ts";
import { type ExitCode, failFor } from "../output/exit-codes.ts";
import type { Session } from "./session.ts";

/** From the start of one round to the start of the next at least, so that no live zone is read more often. */
const minRoundMs = 5_000;

/**
 * Runs `round`, and again after each change of the zone files, until a signal stops it or nobody reads its output. A round
 * that fails does not end it.
 *
 * @returns the exit code of the last round that ended by itself.
 */
export async function roundsOnChange(
  round: (isFirst: boolean) => Promise<ExitCode>,
  session: Pick<Session, "config" | "host" | "stop">,
): Promise<ExitCode> {
  const { config, host } = session;
  const { clock, files, outputClosed } = host;
  using ended = joinSignals(session.stop, outputClosed);
  const { signal: stop } = ended;
  let changed = Promise.withResolvers<void>();
  const options = { debounceMs: config.schedule.debounceMs, clock, files };
  await using _watcher = await watchZoneFiles(
    config.desired.path,
    () => changed.resolve(),
    options,
  );
  const stopped = new Promise<void>((resolve) => {
    stop.addEventListener("abort", () => resolve(), { once: true });
  });
  let startedAt = clock.monotonicMs();
  let code = await round(true);
  host.stderr.write("waiting for changes of the zone files; Ctrl-C ends\n");
  for (;;) {
    await Promise.race([changed.promise, stopped]);
    const waitMs = Math.max(0, startedAt + minRoundMs - clock.monotonicMs());
    await clock.sleep(waitMs, stop).catch(() => undefined);
    if (isAborted(stop)) return code;
    changed = Promise.withResolvers<void>();
    startedAt = clock.monotonicMs();
    try {
      code = await round(false);
    } catch (error) {
      if (isAborted(stop)) return code;
      code = failFor(error, host);
    }
  }
}
