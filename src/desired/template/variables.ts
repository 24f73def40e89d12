import { isJsonObject, type Json } from "../../syntax/json.ts";
import { nearest } from "../../syntax/nearest.ts";
import type { UnplacedDiagnostic } from "../diagnostics.ts";
import type { Path } from "../location.ts";
import { type Layer, originOf } from "../zones/layer.ts";
import { fillTemplate, isTemplate, placeholdersIn, type TemplateValue } from "./template.ts";

/** What is known of the zone that is filled in. */
export type ZoneFacts = Readonly<Partial<Record<"name" | "id" | "account", string>>>;

/** Values of the form that a listing gives, for what only a listing tells. */
const samples = {
  name: "zone.example",
  id: "00000000000000000000000000000000",
  account: "00000000000000000000000000000000",
} as const;

/** The longest chain of variables that use each other. */
const maxDepth = 100;

/**
 * What the placeholders of a zone stand for: what is known of the zone, and its variables,
 * themselves filled.
 */
export class Variables {
  /** About the variables themselves; a value that is missing is told where it is used. */
  readonly diagnostics: UnplacedDiagnostic[] = [];
  readonly #written = new Map<string, Json>();
  readonly #declarations = new Map<string, Declaration>();
  readonly #facts: ZoneFacts;
  readonly #layers: readonly Layer[];
  readonly #values = new Map<string, TemplateValue | undefined>();
  /** Variables with an error, which is told once. */
  readonly #failed = new Set<string>();

  /**
   * The variables that layers declare and set; of several values the last one counts, and `null`
   * removes it.
   *
   * @param tried values in place of those of the layers
   */
  constructor(
    layers: readonly Layer[],
    facts: ZoneFacts,
    tried: Readonly<Record<string, TemplateValue>> = {},
  ) {
    this.#layers = layers;
    this.#facts = facts;
    for (const vars of [...layers.map(({ content }) => content.vars ?? {}), tried]) {
      for (const [name, value] of Object.entries(vars)) {
        if (isJsonObject(value)) this.#declarations.set(name, value);
        else this.#written.set(name, value);
      }
    }
    for (const name of this.names) this.#valueOf(name, []);
  }

  /** The same variables, one of them with another value. */
  with(name: string, value: TemplateValue): Variables {
    return new Variables(this.#layers, this.#facts, { [name]: value });
  }

  /** The zone, for people. */
  get zone(): string {
    return this.#facts.name ?? this.#facts.id ?? "a sample zone";
  }

  /** The names of all variables, with and without a value. */
  get names(): ReadonlySet<string> {
    return new Set([...this.#declarations.keys(), ...this.#written.keys()]);
  }

  /** The value of a placeholder; `undefined` if it has none. */
  valueOf(placeholder: string): TemplateValue | undefined {
    const name = variableIn(placeholder);
    if (name !== undefined) return this.#values.get(name);
    const fact = factIn(placeholder);
    return this.#facts[fact] ?? samples[fact];
  }

  /** Whether a sample stands for something that only a listing tells. */
  isSample(placeholder: string): boolean {
    return variableIn(placeholder) === undefined && this.#facts[factIn(placeholder)] === undefined;
  }

  /** Placeholders, and all those that the values of their variables use: the innermost first. */
  behind(placeholders: readonly string[]): readonly string[] {
    const found = new Set(placeholders);
    for (const each of found) {
      for (const inner of placeholdersIn(this.#textOf(variableIn(each)))) found.add(inner);
    }
    return [...found].toReversed();
  }

  /** Why a placeholder has no value; nothing for an error that {@link diagnostics} tell. */
  missing(placeholder: string): readonly string[] {
    if (this.#failed.has(variableIn(placeholder) ?? "")) return [];
    return this.behind([placeholder])
      .map((each) => variableIn(each))
      .filter((each) => each !== undefined)
      .filter((each) => !this.#failed.has(each) && this.#writtenFor(each) === undefined);
  }

  /**
   * A zone has no value of a variable that it needs. Its place is the zone; of a mistyped name, the
   * name.
   *
   * @param path of the text that uses it
   */
  unset(name: string, path: Path = []): UnplacedDiagnostic {
    const guess = nearest(
      name,
      [...this.names].filter((each) => each !== name),
    );
    const own = this.#layers.at(-1);
    const isOwn = (at: Path): boolean =>
      own !== undefined && originOf(own, this.#layers, at).layer === own;
    const isMistyped = guess !== undefined && !this.names.has(name);
    const isOwnGuess = isMistyped && isOwn(["vars", guess]);
    const isAtText = path.length > 0 && !this.names.has(name) && (isMistyped || isOwn(path));
    return {
      code: "UNSET_VARIABLE",
      path: isOwnGuess ? ["vars", guess] : isAtText ? path : [],
      atKey: true,
      message: `the variable "${name}" has no value`,
      remedy: isMistyped
        ? `did you mean "${guess}"?`
        : `set it with \`vars: { ${name}: … }\` in the zone or in a profile of it`,
    };
  }

  #writtenFor(name: string): TemplateValue | undefined {
    const value = this.#written.get(name) ?? this.#declarations.get(name)?.default;
    return value === undefined || typeof value === "object" ? undefined : value;
  }

  #textOf(name: string | undefined): string {
    const value = name === undefined ? undefined : this.#writtenFor(name);
    return typeof value === "string" ? value : "";
  }

  /** @param open the variables whose values are being filled */
  #valueOf(name: string, open: readonly string[]): TemplateValue | undefined {
    if (this.#values.has(name)) return this.#values.get(name);
    if (open.includes(name)) {
      const circle = [...open.slice(open.indexOf(name)), name].join(" → ");
      return this.#fail(name, `variables use each other in a circle: ${circle}`, "remove one use");
    }
    if (open.length >= maxDepth) {
      const message = `more than ${maxDepth} variables use each other one after the other`;
      return this.#fail(name, message, "put the value itself in one of them");
    }
    const written = this.#writtenFor(name);
    const value =
      typeof written === "string" && isTemplate(written)
        ? this.#filled(name, written, [...open, name])
        : written;
    this.#values.set(name, value);
    this.#check(name, value);
    return value;
  }

  #filled(name: string, text: string, open: readonly string[]): TemplateValue | undefined {
    const missing: string[] = [];
    const inner = (placeholder: string): TemplateValue | undefined => {
      const variable = variableIn(placeholder);
      const value =
        variable === undefined ? this.valueOf(placeholder) : this.#valueOf(variable, open);
      if (value === undefined) missing.push(placeholder);
      if (variable !== undefined && this.#failed.has(variable)) this.#failed.add(name);
      return value;
    };
    const { text: filled, errors } = fillTemplate(text, "text", inner);
    for (const { message, remedy } of errors) this.#fail(name, message, remedy);
    if (missing.length > 0 || errors.length > 0) return undefined;
    // The value of one variable alone keeps its type.
    const [only] = placeholdersIn(text);
    return only !== undefined && /^\$\{[^}]*\}$/.test(text) ? inner(only) : filled;
  }

  #fail(name: string, message: string, remedy: string): undefined {
    this.#failed.add(name);
    this.diagnostics.push({ code: "BAD_PLACEHOLDER", path: ["vars", name], message, remedy });
  }

  #check(name: string, value: TemplateValue | undefined): void {
    const { type, required } = this.#declarations.get(name) ?? {};
    if (value === undefined) {
      const isUnset = this.#writtenFor(name) === undefined;
      if (required === true && isUnset) this.diagnostics.push(this.unset(name));
    } else if (typeof type === "string" && !hasType(value, type)) {
      this.diagnostics.push({
        code: "WRONG_TYPE",
        path: ["vars", name],
        message: `the variable "${name}" is ${JSON.stringify(value)}, and not of the type ${type}`,
        remedy: "correct the value or the type",
      });
    }
  }
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

/** The variable that a placeholder names; `undefined` for one of the zone. */
export function variableIn(placeholder: string): string | undefined {
  return placeholder.startsWith("vars.") ? placeholder.slice("vars.".length) : undefined;
}

function factIn(placeholder: string): keyof ZoneFacts {
  if (placeholder === "zone.name") return "name";
  return placeholder === "zone.id" ? "id" : "account";
}
