import { readFileSync } from "node:fs";

import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { type Document, LineCounter, isNode, parseDocument } from "yaml";

import { isJsonObject } from "../../syntax/json.ts";
import { withoutSecrets } from "../../syntax/without-secrets.ts";
import type { SeedMistake, Step } from "./check-seed.ts";
import type { Seed, SeedProblem } from "./seed.ts";
import { seededState } from "./seeded-state.ts";

/** A seed, or everything that is wrong with its text. */
type LoadedSeed = { readonly seed: Seed } | { readonly diagnostics: readonly SeedProblem[] };

/** Reads a seed from YAML text: syntax, shape and everything that the service itself would refuse. */
export function loadSeed(text: string, file: string): LoadedSeed {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    const diagnostics = document.errors.map(({ message, pos: [offset] }) =>
      problemAt(offset, message, file, lines),
    );
    return { diagnostics };
  }
  const mistakes = mistakesIn(document);
  if ("seed" in mistakes) return mistakes;
  const diagnostics = mistakes.map(({ path, message }) =>
    problemAt(offsetOf(document, path), message, file, lines),
  );
  return { diagnostics: diagnostics.toSorted((a, b) => a.line - b.line || a.column - b.column) };
}

function mistakesIn(document: Document): { readonly seed: Seed } | readonly SeedMistake[] {
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch {
    return [{ path: [], message: "the aliases of this file are too many; write them out" }];
  }
  const isSeed = validator();
  if (!isSeed(value)) return (isSeed.errors ?? []).filter(isTelling).map(mistakeFrom);
  const { mistakes } = seededState(value, earliest);
  return mistakes.length === 0 ? { seed: value } : mistakes;
}

/** No emulator starts before this; an age that is sound here is sound whenever one starts. */
const earliest = new Date("2026-01-01T00:00:00Z");

let compiled: ValidateFunction<Seed> | undefined;

/** Compiles the schema once, when a seed is read for the first time. */
function validator(): ValidateFunction<Seed> {
  if (compiled !== undefined) return compiled;
  const file = new URL("../../../schemas/emulator-seed.schema.json", import.meta.url);
  const schema: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (!isJsonObject(schema)) throw new Error(`${file.pathname} is no schema`);
  compiled = new Ajv2020({
    allErrors: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
  }).compile<Seed>(schema);
  return compiled;
}

/** Errors of a branch that only say that another error led there tell nobody anything. */
function isTelling({ keyword }: ErrorObject): boolean {
  return keyword !== "if";
}

function mistakeFrom(error: ErrorObject): SeedMistake {
  const path = stepsOf(error.instancePath);
  const { params } = error;
  const strange: unknown = params["additionalProperty"] ?? params["unevaluatedProperty"];
  if (typeof strange === "string") {
    return {
      path: [...path, strange],
      message: `unknown field "${strange}"; remove it or correct its name`,
    };
  }
  const missing: unknown = params["missingProperty"];
  if (typeof missing === "string") return { path, message: `missing required field "${missing}"` };
  const allowed: unknown = params["allowedValues"];
  if (Array.isArray(allowed)) return { path, message: `must be one of ${allowed.join(", ")}` };
  return { path, message: error.message ?? "is not allowed here" };
}

function stepsOf(pointer: string): readonly Step[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

/** Where a path stands in the text; the nearest place above it where nothing stands there. */
function offsetOf(document: Document, path: readonly Step[]): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

function problemAt(offset: number, message: string, file: string, lines: LineCounter): SeedProblem {
  const { line, col } = lines.linePos(offset);
  return {
    message: withoutSecrets(message),
    file,
    line: Math.max(line, 1),
    column: Math.max(col, 1),
  };
}
