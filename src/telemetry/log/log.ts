import { pino, type Logger } from "pino";

import { prettyLine } from "./log-pretty.ts";

export type { Logger } from "pino";

/** A level of log lines, the most talkative first. */
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

/** How lines are written: for machines, or for people at a terminal. */
export type LogFormat = "json" | "pretty";

/** What a log is made with. */
export interface LogOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Whether `pretty` may use colours. */
  readonly color: boolean;
  readonly destination: { write(text: string): unknown };
  readonly clock: { now(): Date };
  /** Takes the tokens in use now out of a line. */
  scrub(line: string): string;
}

/** The log: constant messages with facts as fields, one line each. */
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

/** Fields that are never written, whatever they hold. */
const secretFields = ["token", "authorization", "password", "secret"];

const bearer = /\b(Bearer\s+)[^\s"\\]+/gi;
