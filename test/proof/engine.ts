import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

import { missing } from "../support/processes.ts";

/** The public engine of the service's language, as a package for Python. */
const enginePackage = "octorules-wirefilter==0.7.0";

const place = path.join(tmpdir(), `zonewarden-${enginePackage.replace("==", "-")}`);
const python = path.join(place, "bin", "python");

/** Answers one JSON line, the error or null, for each JSON line that holds an expression. */
const program = `
import json, sys
import octorules_wirefilter as engine
for line in sys.stdin:
    print(json.dumps(engine.parse_expression(json.loads(line)).get("error")))
`;

/** Why there is no engine here; installs it where it is missing. */
export function noEngine(): string | undefined {
  const without = missing("python3", "python3");
  if (without !== undefined || hasEngine()) return without;
  const steps = [
    spawnSync("python3", ["-m", "venv", place]),
    spawnSync(python, ["-m", "pip", "install", "--quiet", enginePackage]),
  ];
  return hasEngine()
    ? undefined
    : `(Python cannot install ${enginePackage}: ${steps
        .map(({ stderr }) => String(stderr).trim())
        .join(" ")
        .slice(0, 200)})`;
}

function hasEngine(): boolean {
  if (!existsSync(python)) return false;
  return spawnSync(python, ["-c", "import octorules_wirefilter"]).status === 0;
}

/** The engine as a process. */
export interface Engine extends AsyncDisposable {
  /** The error of each expression, in their order; `undefined` where the engine takes it. */
  errorsOf(expressions: readonly string[]): Promise<readonly (string | undefined)[]>;
}

/** Starts the engine. */
export function startEngine(): Engine {
  const child = spawn(python, ["-u", "-c", program], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async errorsOf(expressions) {
      child.stdin.write(expressions.map((text) => `${JSON.stringify(text)}\n`).join(""));
      const errors: (string | undefined)[] = [];
      for (const text of expressions) {
        const { value, done } = await lines.next();
        if (done === true) throw new Error(`the engine ended before it answered for ${text}`);
        const error: unknown = JSON.parse(value);
        errors.push(typeof error === "string" ? error : undefined);
      }
      return errors;
    },
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => child.once("close", resolve));
      child.stdin.end();
      await ended;
    },
  };
}
