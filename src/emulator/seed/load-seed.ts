import { readFileSync } from "node:fs";

import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { type Document, LineCounter, isNode, parseDocument } from "yaml";

import { isJsonObject } from "../../syntax/json.ts";
import { withoutSecrets } from "../../syntax/without-secrets.ts";
import { type SeedIssue, type PathStep, stepsOf } from "./check-seed.ts";
import type { Seed, SeedDiagnostic } from "./seed.ts";
import { seededState } from "./seeded-state.ts";

type LoadedSeed = { readonly seed: Seed } | { readonly diagnostics: readonly SeedDiagnostic[] };

/** Reads a seed from YAML text; checks syntax, schema and what the service itself rejects. */
export function loadSeed(yaml: string, file: string): LoadedSeed {
  const lines = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: lines, prettyErrors: false });
  const diagnosticAt = (offset: number, text: string): SeedDiagnostic => {
    const { line, col: column } = lines.linePos(offset);
    const message = withoutSecrets(text);
    return { message, file, line: Math.max(line, 1), column: Math.max(column, 1) };
  };
  if (document.errors.length > 0) {
    return {
      diagnostics: document.errors.map(({ message, pos: [offset] }) =>
        diagnosticAt(offset, message),
      ),
    };
  }
  const issues = parseSeed(document);
  if ("seed" in issues) return issues;
  const diagnostics = issues.map(({ path, message }) =>
    diagnosticAt(offsetOf(document, path), message),
  );
  return { diagnostics: diagnostics.toSorted((a, b) => a.line - b.line || a.column - b.column) };
}

function parseSeed(document: Document): { readonly seed: Seed } | readonly SeedIssue[] {
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch {
    return [{ path: [], message: "too many aliases; write their values out" }];
  }
  const isSeed = validator();
  if (!isSeed(value)) {
    // An error of `if` only repeats that another one occurred in its branch.
    return (isSeed.errors ?? []).filter(({ keyword }) => keyword !== "if").map(issueFrom);
  }
  const { issues } = seededState(value, earliest);
  return issues.length === 0 ? { seed: value } : issues;
}

/** No emulator starts before this; an age that is valid here is valid whenever one starts. */
const earliest = new Date("2026-01-01T00:00:00Z");

let compiled: ValidateFunction<Seed> | undefined;

/** Compiles the schema when a seed is read for the first time. */
function validator(): ValidateFunction<Seed> {
  if (compiled !== undefined) return compiled;
  const file = new URL("../../../schemas/emulator-seed.schema.json", import.meta.url);
  const schema: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (!isJsonObject(schema)) throw new Error(`${file.pathname} is not a schema`);
  compiled = new Ajv2020({
    allErrors: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
  }).compile<Seed>(schema);
  return compiled;
}

function issueFrom(error: ErrorObject): SeedIssue {
  const path = stepsOf(error.instancePath);
  const { params } = error;
  const extra: unknown = params["additionalProperty"] ?? params["unevaluatedProperty"];
  if (typeof extra === "string") {
    const message = `unknown field "${extra}"; remove it or correct its name`;
    return { path: [...path, extra], message };
  }
  const missing: unknown = params["missingProperty"];
  if (typeof missing === "string") return { path, message: `missing required field "${missing}"` };
  const allowed: unknown = params["allowedValues"];
  if (Array.isArray(allowed)) return { path, message: `must be one of ${allowed.join(", ")}` };
  return { path, message: error.message ?? "is not allowed here" };
}

/** The offset of the node at a path, or of its nearest ancestor. */
function offsetOf(document: Document, path: readonly PathStep[]): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}
