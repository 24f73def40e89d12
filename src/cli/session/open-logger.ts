import { hasColor, type TextStream } from "../../host/host.ts";
import { createLogger, type Logger, type LogOptions } from "../../telemetry/log/log.ts";
import type { Session } from "./session.ts";

/** A logger on a stream of the host, in the format of the configuration. No line has a token. */
export function openLogger(
  destination: TextStream,
  level: LogOptions["level"],
  { config, service, host }: Pick<Session, "config" | "service" | "host">,
): Logger {
  return createLogger({
    level,
    format: config.log.format ?? (destination.isTTY ? "pretty" : "json"),
    color: hasColor(host, destination),
    destination,
    clock: host.clock,
    scrub: (line) => service.credentials.reduce((text, each) => each.scrub(text), line),
  });
}
