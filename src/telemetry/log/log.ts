import { pino, type Logger } from "pino";

import { prettyLine } from "./log-pretty.ts";

export type { Logger } from "pino";

/** A log level, the most verbose first. */
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

/** JSON, or text for a terminal. */
export type LogFormat = "json" | "pretty";

export interface LogOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Whether `pretty` uses colours. */
  readonly color: boolean;
  readonly destination: { write(text: string): unknown };
  readonly clock: { now(): Date };
  /** Removes the current tokens from a line. */
  scrub(line: string): string;
}

/** The log: one line each, with a constant message and fields. */
export function createLogger(options: LogOptions): Logger {
  const { level, format, color, destination, clock } = options;
  const write = (line: string): void => {
    const safe = options.scrub(line.replace(bearer, "$1[token]"));
    destination.write(format === "pretty" ? prettyLine(safe, color) : safe);
  };
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${clock.now().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: [...secretFields, ...secretFields.map((field) => `*.${field}`)] },
    },
    { write },
  );
}

const secretFields = ["token", "authorization", "password", "secret"];

const bearer = /\b(Bearer\s+)[^\s"\\]+/gi;
