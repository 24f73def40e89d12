import { checkCsp } from "../../syntax/csp/check-csp.ts";
import { adviseExpression } from "../../syntax/expression/advice/advise-expression.ts";
import {
  coerceObject,
  isJsonList,
  isJsonObject,
  type Json,
  type JsonObject,
} from "../../syntax/json.ts";
import type { SyntaxDiagnostic } from "../../syntax/syntax-diagnostic.ts";
import type { UnplacedDiagnostic } from "../diagnostics.ts";
import type { Path } from "../location.ts";
import { cspText } from "../zones/csp-text.ts";
import { identityOf } from "../zones/layer.ts";
import { fillTemplate, isTemplate, type TemplateKind, type TemplateValue } from "./template.ts";
import { unset, type Variables } from "./variables.ts";

/** What is known of the zone that is filled in. */
export type ZoneFacts = Readonly<Partial<Record<"name" | "id" | "account", string>>>;

/** Merged values with all placeholders filled. */
export interface FilledZone {
  readonly values: JsonObject;
  readonly diagnostics: readonly UnplacedDiagnostic[];
  /** Whether a fact is used that is not known: a sample is in its place. */
  readonly isSample: boolean;
}

/** Values of the form that a listing gives, for what only a listing tells. */
const samples = {
  name: "zone.example",
  id: "00000000000000000000000000000000",
  account: "00000000000000000000000000000000",
} as const;

/** The keys whose texts can have placeholders. */
const kinds: Readonly<Record<string, TemplateKind>> = {
  description: "text",
  expression: "expression",
  value: "csp",
  acknowledge: "csp",
  pages: "csp",
  url: "csp",
  owner: "text",
  justification: "text",
};

/** Fills the placeholders of a merged zone, and checks what they become. Values without any stay the same objects. */
export function fillZone(values: JsonObject, facts: ZoneFacts, variables: Variables): FilledZone {
  const filler = new Filler(facts, variables);
  const filled = filler.fill(values, [], undefined);
  return {
    values: coerceObject(filled),
    diagnostics: filler.diagnostics,
    isSample: filler.isSample,
  };
}

const inPlaceOf = { text: "", expression: "true", csp: "zone.example" } as const;

class Filler {
  readonly diagnostics: UnplacedDiagnostic[];
  isSample = false;
  readonly #facts: ZoneFacts;
  readonly #variables: Variables;

  constructor(facts: ZoneFacts, variables: Variables) {
    this.#facts = facts;
    this.#variables = variables;
    this.diagnostics = [...variables.diagnostics];
  }

  fill(value: Json, path: Path, kind: TemplateKind | undefined): Json {
    if (typeof value === "string") {
      return kind !== undefined && isTemplate(value) ? this.#text(value, path, kind) : value;
    }
    if (isJsonList(value)) return this.#list(value, path, kind);
    return isJsonObject(value) ? this.#map(value, path, kind) : value;
  }

  #list(list: readonly Json[], path: Path, kind: TemplateKind | undefined): Json {
    const filled = list.map((item, index) =>
      this.fill(item, [...path, identityOf(item) ?? index], kind),
    );
    return filled.every((item, index) => item === list[index]) ? list : filled;
  }

  #map(map: JsonObject, path: Path, kind: TemplateKind | undefined): Json {
    let isSame = true;
    const filled: Record<string, Json> = {};
    for (const [name, value] of Object.entries(map)) {
      // The directives of a policy are below its value.
      const before = this.diagnostics.length;
      const result = this.fill(value, [...path, name], kind ?? kinds[name]);
      filled[name] = result;
      if (result === value) continue;
      isSame = false;
      const isWhole = this.diagnostics.length === before;
      if (kind === undefined && isWhole) this.#check(name, result, [...path, name]);
    }
    return isSame ? map : filled;
  }

  #text(text: string, path: Path, kind: TemplateKind): string {
    const before = this.diagnostics.length;
    const filled = fillTemplate(text, kind, (name) => this.#valueOf(name));
    for (const { message, remedy } of filled.errors) {
      this.diagnostics.push({ code: "BAD_PLACEHOLDER", path, message, remedy });
    }
    // What could not be filled must not be reported a second time for what it is without its values.
    return this.diagnostics.length === before ? filled.text : inPlaceOf[kind];
  }

  #valueOf(name: string): TemplateValue | undefined {
    if (name.startsWith("vars.")) {
      const variable = name.slice("vars.".length);
      const value = this.#variables.values.get(variable);
      if (value === undefined) this.diagnostics.push(unset(variable));
      return value;
    }
    const fact = name === "zone.name" ? "name" : name === "zone.id" ? "id" : "account";
    const known = this.#facts[fact];
    this.isSample ||= known === undefined;
    return known ?? samples[fact];
  }

  /** What a file says without placeholders is checked with its file. */
  #check(name: string, value: Json, path: Path): void {
    const found =
      name === "expression" ? ofExpression(value, path) : name === "value" ? ofCsp(value) : [];
    for (const { code, message, remedy } of found) {
      this.diagnostics.push({ code, path, message, remedy });
    }
  }
}

function ofExpression(value: Json, [kind]: Path): readonly SyntaxDiagnostic[] {
  if (typeof value !== "string") return [];
  return adviseExpression(value, kind === "page_shield" ? "response" : "request");
}

function ofCsp(value: Json): readonly SyntaxDiagnostic[] {
  if (typeof value === "string") return checkCsp(value);
  const sources = Object.entries(coerceObject(value)).map(
    ([directive, list]): [string, string[] | boolean] => [
      directive,
      isJsonList(list) ? list.map(String) : list === true,
    ],
  );
  const { text, diagnostics } = cspText(Object.fromEntries(sources));
  return diagnostics.length > 0 ? diagnostics : checkCsp(text);
}
