import { isJsonObject, type Json } from "../../syntax/json.ts";
import type { UnplacedDiagnostic } from "../diagnostics.ts";
import type { Layer } from "../zones/layer.ts";
import type { TemplateValue } from "./template.ts";

/** The variables of a zone. */
export interface Variables {
  readonly values: ReadonlyMap<string, TemplateValue>;
  readonly diagnostics: readonly UnplacedDiagnostic[];
}

/** The variables that layers declare and set; of several values the last one counts, and `null` removes it. */
export function variablesOf(layers: readonly Layer[]): Variables {
  const written = new Map<string, Json>();
  const declarations = new Map<string, Declaration>();
  for (const [name, value] of layers.flatMap(({ content }) => Object.entries(content.vars ?? {}))) {
    if (isJsonObject(value)) declarations.set(name, value);
    else written.set(name, value);
  }
  const values = new Map<string, TemplateValue>();
  const diagnostics: UnplacedDiagnostic[] = [];
  for (const name of new Set([...declarations.keys(), ...written.keys()])) {
    const declaration = declarations.get(name) ?? {};
    const value = valueIn(written.get(name) ?? declaration.default);
    if (value !== undefined) values.set(name, value);
    diagnostics.push(...checked(name, value, declaration));
  }
  return { values, diagnostics };
}

function valueIn(value: Json | undefined): TemplateValue | undefined {
  return value === undefined || typeof value === "object" ? undefined : value;
}

function checked(
  name: string,
  value: TemplateValue | undefined,
  { type, required }: Declaration,
): readonly UnplacedDiagnostic[] {
  if (value === undefined) return required === true ? [unset(name)] : [];
  if (typeof type !== "string" || hasType(value, type)) return [];
  return [
    {
      code: "WRONG_TYPE",
      path: ["vars", name],
      message: `the variable "${name}" is ${JSON.stringify(value)}, and not of the type ${type}`,
      remedy: "correct the value or the type",
    },
  ];
}

/** A zone has no value of a variable that it needs. Its place is the zone. */
export function unset(name: string): UnplacedDiagnostic {
  return {
    code: "UNSET_VARIABLE",
    path: [],
    atKey: true,
    message: `the variable "${name}" has no value`,
    remedy: `set it with \`vars: { ${name}: … }\` in the zone or in a profile of it`,
  };
}

/** The form of a variable in a profile, as the schema checks it. */
interface Declaration {
  readonly type?: Json;
  readonly default?: Json;
  readonly required?: Json;
}

function hasType(value: TemplateValue, type: string): boolean {
  return type === "integer" ? Number.isInteger(value) : typeof value === type;
}
