import { checkCsp } from "../../syntax/csp/check-csp.ts";
import { adviseExpression } from "../../syntax/expression/advice/advise-expression.ts";
import {
  coerceObject,
  isJsonList,
  isJsonObject,
  type Json,
  type JsonObject,
  withMembers,
  withParts,
} from "../../syntax/json.ts";
import type { SyntaxDiagnostic } from "../../syntax/syntax-diagnostic.ts";
import type { UnplacedDiagnostic } from "../diagnostics.ts";
import type { Path } from "../location.ts";
import { cspText } from "../zones/csp-text.ts";
import { identityOf } from "../zones/layer.ts";
import { phaseAt } from "../zones/phase-at.ts";
import { sections } from "../zones/zone-lists.ts";
import {
  fillableKeys,
  fillTemplate,
  isTemplate,
  looksFillable,
  placeholdersIn,
  type TemplateKind,
  type TemplateValue,
  textsIn,
} from "./template.ts";
import { variableIn, type Variables } from "./variables.ts";

/** Merged values with all placeholders filled. */
export interface FilledZone {
  readonly values: JsonObject;
  readonly diagnostics: readonly UnplacedDiagnostic[];
  /** Whether a fact is used that is not known: a sample is in its place. */
  readonly isSample: boolean;
  /** The variables whose values are in the texts. */
  readonly used: ReadonlySet<string>;
}

/** The keys whose texts can have placeholders. */
const kinds: Readonly<Record<string, TemplateKind>> = {
  description: "text",
  expression: "expression",
  counting_expression: "expression",
  content: "text",
  value: "csp",
  acknowledge: "csp",
  pages: "csp",
  url: "csp",
  owner: "text",
  justification: "text",
};

/** Whether placeholders are filled in the texts of a key. */
export function isFillable(key: string): boolean {
  return Object.hasOwn(kinds, key);
}

/**
 * Fills the placeholders of a merged zone, and checks what they become. Values without any stay the
 * same objects.
 */
export function fillZone(values: JsonObject, variables: Variables): FilledZone {
  const filler = new Filler(variables);
  const filled = withMembers(values, (value, name) => {
    if (unfilled.has(name)) return value;
    return sections.has(name) ? filler.fill(value, [name]) : filler.literal(value, [name]);
  });
  const behind = variables.behind([...filler.used]);
  return {
    values: filled,
    diagnostics: [...variables.diagnostics, ...filler.diagnostics],
    isSample: behind.some((each) => variables.isSample(each)),
    used: new Set(behind.flatMap((each) => variableIn(each) ?? [])),
  };
}

/**
 * Starts what a diagnostic says of the zone where it was found: it is the same diagnostic in the
 * next zone.
 */
export const filledText = "; with the values of ";

/** For readers, and the variables themselves. */
const unfilled: ReadonlySet<string> = new Set(["description", "vars"]);

const inPlaceOf = { text: "", expression: "true", csp: "zone.example" } as const;

/**
 * Values that are right in most places: a diagnostic that is there with one of the others only is
 * about the other.
 */
const neutral: readonly TemplateValue[] = ["zone.example", "192.0.2.1", "/", 1];

/** Variables that are tried as the cause of a diagnostic. */
const maxTried = 20;

class Filler {
  readonly diagnostics: UnplacedDiagnostic[] = [];
  /** The placeholders of the texts. */
  readonly used = new Set<string>();
  readonly #variables: Variables;

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  /** Fills all texts below a value that can have placeholders. */
  fill(value: Json, path: Path): Json {
    if (!isJsonList(value) && !isJsonObject(value)) return this.literal(value, path);
    return withParts(value, (part, step) => {
      if (typeof step === "number") return this.fill(part, [...path, identityOf(part) ?? step]);
      const kind = kinds[step];
      const below = [...path, step];
      return kind === undefined ? this.fill(part, below) : this.#unit(part, below, kind);
    });
  }

  /** Tells placeholders if none are filled, also in keys: nothing like one is ever written. */
  literal(value: Json, path: Path): Json {
    if (typeof value === "string" && looksFillable(value)) {
      const message = `a placeholder is not filled here: ${JSON.stringify(value)}`;
      this.diagnostics.push({ code: "BAD_PLACEHOLDER", path, message, remedy: fillableKeys });
    } else if (isJsonList(value)) {
      for (const [index, item] of value.entries()) this.literal(item, [...path, index]);
    } else if (isJsonObject(value)) {
      for (const [name, inner] of Object.entries(value)) {
        this.literal(name, [...path, name]);
        this.literal(inner, [...path, name]);
      }
    }
    return value;
  }

  /**
   * Fills the value of one key, and checks what it becomes. What a variable causes is told at the
   * variable.
   */
  #unit(value: Json, path: Path, kind: TemplateKind): Json {
    const placeholders = textsIn(value).flatMap(({ text }) => placeholdersIn(text));
    for (const each of placeholders) {
      this.used.add(each);
      for (const name of this.#variables.missing(each)) {
        this.diagnostics.push(this.#variables.unset(name, path));
      }
    }
    const filled = fillUnit(value, path, kind, this.#variables);
    const all = new Set(filled.found.map(({ code }) => code));
    const names = this.#variables.behind(placeholders).flatMap((each) => variableIn(each) ?? []);
    for (const found of filled.found) {
      const cause = names.slice(0, maxTried).find((name) =>
        neutral.some((other) => {
          const tried = fillUnit(value, path, kind, this.#variables.with(name, other)).found;
          const isNone = tried.every(({ code }) => code !== found.code);
          return (
            isNone && (found.code === "BAD_PLACEHOLDER" || tried.every(({ code }) => all.has(code)))
          );
        }),
      );
      this.diagnostics.push(cause === undefined ? found : { ...found, path: ["vars", cause] });
    }
    return filled.value;
  }
}

interface FilledUnit {
  readonly value: Json;
  readonly found: readonly UnplacedDiagnostic[];
}

/** The value of one key with its placeholders filled, and what is wrong with it. */
function fillUnit(value: Json, path: Path, kind: TemplateKind, variables: Variables): FilledUnit {
  const found: UnplacedDiagnostic[] = [];
  const missing: string[] = [];
  const fill = (inner: Json, at: Path): Json => {
    if (isJsonList(inner) || isJsonObject(inner)) {
      return withParts(inner, (part, step) => {
        if (typeof step === "string" && looksFillable(step)) {
          const message = `a placeholder is not filled in a key: ${JSON.stringify(step)}`;
          found.push({ code: "BAD_PLACEHOLDER", path: at, message, remedy: fillableKeys });
        }
        return fill(part, [...at, step]);
      });
    }
    if (typeof inner !== "string" || !isTemplate(inner)) return inner;
    const { text, errors } = fillTemplate(inner, kind, (name) => {
      const known = variables.valueOf(name);
      if (known === undefined) missing.push(name);
      return known;
    });
    for (const { message, remedy } of errors) {
      found.push({ code: "BAD_PLACEHOLDER", path: at, message, remedy });
    }
    // What could not be filled must not be reported a second time for what it is without its
    // values.
    return errors.length > 0 || missing.length > 0 ? inPlaceOf[kind] : text;
  };
  const filled = fill(value, path);
  if (filled === value || found.length > 0 || missing.length > 0) return { value: filled, found };
  // What a file says without placeholders is checked with its file.
  return { value: filled, found: checked(filled, path, kind, variables.zone) };
}

function checked(
  value: Json,
  path: Path,
  kind: TemplateKind,
  zone: string,
): readonly UnplacedDiagnostic[] {
  const [text, found] =
    kind === "expression"
      ? ofExpression(value, path)
      : path.at(-1) === "value"
        ? ofCsp(value)
        : ["", []];
  return found.map(({ code, message, remedy }) => ({
    code,
    path,
    message: `${message}${filledText}${zone} the text is: ${shortened(text)}`,
    remedy,
  }));
}

function shortened(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

type Checked = [text: string, found: readonly SyntaxDiagnostic[]];

function ofExpression(value: Json, path: Path): Checked {
  return typeof value === "string" ? [value, adviseExpression(value, phaseAt(path))] : ["", []];
}

function ofCsp(value: Json): Checked {
  if (typeof value === "string") return [value, checkCsp(value)];
  const sources = Object.entries(coerceObject(value)).map(
    ([directive, list]): [string, string[] | boolean] => [
      directive,
      isJsonList(list) ? list.map(String) : list === true,
    ],
  );
  const { text, diagnostics } = cspText(Object.fromEntries(sources));
  return [text, diagnostics.length > 0 ? diagnostics : checkCsp(text)];
}
