import { createLogger, type LogOptions } from "../../src/telemetry/log/log.ts";
import { start } from "./reports.ts";

export type Line = Readonly<Record<string, unknown>>;

function isLine(value: unknown): value is Line {
  return typeof value === "object" && value !== null;
}

/** A log whose lines can be read again. */
export function book(more: Partial<LogOptions> = {}): {
  readonly logger: ReturnType<typeof createLogger>;
  readonly text: () => string;
  readonly lines: () => readonly Line[];
} {
  const written: string[] = [];
  const logger = createLogger({
    level: "debug",
    format: "json",
    color: false,
    destination: { write: (text) => written.push(text) },
    clock: { now: () => start },
    scrub: (line) => line,
    ...more,
  });
  const text = (): string => written.join("");
  const lines = (): readonly Line[] =>
    text()
      .split("\n")
      .filter((line) => line !== "")
      .map((line): unknown => JSON.parse(line))
      .filter(isLine);
  return { logger, text, lines };
}
