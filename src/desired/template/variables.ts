import {
  coerceObject,
  coerceText,
  isJsonObject,
  type Json,
  type JsonObject,
} from "../../syntax/json.ts";
import { nearest } from "../../syntax/nearest.ts";
import type { UnplacedDiagnostic } from "../diagnostics.ts";
import type { Path } from "../location.ts";
import { type Layer, originOf } from "../zones/layer.ts";
import { declaresTexts, violationsOf } from "./declaration.ts";
import {
  fillTemplate,
  isList,
  isTemplate,
  placeholderAlone,
  placeholdersIn,
  type TemplateValue,
  templateValueOf,
  zoneFactNames,
} from "./template.ts";

/** What is known of the zone that is filled in. */
export type ZoneFacts = Readonly<Partial<Record<(typeof zoneFactNames)[number], string>>>;

/** Values of the form that a listing gives, for what only a listing tells. */
const samples = {
  name: "zone.example",
  id: "00000000000000000000000000000000",
  account: "00000000000000000000000000000000",
} as const;

/** As many as a list of a file can have: lists in lists could grow without end. */
const maxMembers = 1_000;

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
  readonly #declarations = new Map<string, JsonObject>();
  readonly #facts: ZoneFacts;
  readonly #layers: readonly Layer[];
  readonly #values = new Map<string, TemplateValue | undefined>();
  /** Variables with values that their declarations do not allow. */
  readonly #wrong = new Set<string>();

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
    for (const vars of [...layers.map(({ content }) => content.vars), tried]) {
      for (const [name, value] of Object.entries(coerceObject(vars))) {
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

  /** Whether the members of a list are texts, also those that look like addresses. */
  hasTexts(placeholder: string): boolean {
    const name = this.sourceOf(placeholder) ?? "";
    return declaresTexts(this.#declarations.get(name) ?? {});
  }

  /** The variable that has a value itself, where others are only a placeholder for it. */
  sourceOf(placeholder: string): string | undefined {
    let name = variableIn(placeholder);
    for (;;) {
      const alone = placeholderAlone(coerceText(this.#writtenFor(name)));
      const next = alone === undefined ? undefined : variableIn(alone);
      // Variables in a circle have no value.
      if (next === undefined || this.#values.get(next) === undefined) return name;
      name = next;
    }
  }

  /** The value of a placeholder; `undefined` if it has none. */
  valueOf(placeholder: string): TemplateValue | undefined {
    const name = variableIn(placeholder);
    if (name !== undefined) return this.#values.get(name);
    const fact = factIn(placeholder);
    return fact && (this.#facts[fact] ?? samples[fact]);
  }

  /** Whether {@link diagnostics} tell what is wrong with the value of a variable. */
  isWrong(name: string): boolean {
    return this.#wrong.has(name);
  }

  /** Whether a sample stands for something that only a listing tells. */
  isSample(placeholder: string): boolean {
    const fact = factIn(placeholder);
    return fact !== undefined && this.#facts[fact] === undefined;
  }

  /** Placeholders, and all those that the values of their variables use: the innermost first. */
  behind(placeholders: readonly string[]): readonly string[] {
    const found = new Set(placeholders);
    for (const each of found) {
      for (const text of this.#textsOf(variableIn(each))) {
        for (const inner of placeholdersIn(text)) found.add(inner);
      }
    }
    return [...found].toReversed();
  }

  /** The variables that a placeholder needs, and that no layer sets. */
  missing(placeholder: string): readonly string[] {
    return this.behind([placeholder])
      .map((each) => variableIn(each))
      .filter((each) => each !== undefined)
      .filter((each) => this.#writtenFor(each) === undefined);
  }

  /**
   * A zone has no value of a variable that it needs. Its place is the zone; of a mistyped name, the
   * name.
   *
   * @param path of the text that uses it
   */
  unset(name: string, path: Path = []): UnplacedDiagnostic {
    const guess = nearest(name, this.names);
    const own = this.#layers.at(-1);
    const isOwn = (at: Path): boolean =>
      own !== undefined && originOf(own, this.#layers, at).layer === own;
    const isMistyped = guess !== undefined && !this.names.has(name);
    const isOwnGuess = isMistyped && isOwn(["vars", guess]);
    const isAtText = !this.names.has(name) && (isMistyped || isOwn(path));
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

  #writtenFor(name: string | undefined): TemplateValue | undefined {
    if (name === undefined) return undefined;
    return templateValueOf(this.#written.get(name) ?? this.#declarations.get(name)?.["default"]);
  }

  #textsOf(name: string | undefined): readonly string[] {
    return [this.#writtenFor(name)].flat().filter((each) => typeof each === "string");
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
    const value = written === undefined ? undefined : this.#filled(name, written, [...open, name]);
    this.#values.set(name, value);
    this.#check(name, value);
    return value;
  }

  #filled(
    name: string,
    written: TemplateValue,
    open: readonly string[],
  ): TemplateValue | undefined {
    if (!isList(written)) {
      return typeof written === "string" && isTemplate(written)
        ? this.#filledText(name, written, open)
        : written;
    }
    const members = written.map((each) => this.#filled(name, each, open));
    if (members.includes(undefined)) return undefined;
    // A list in a list adds its members.
    const all = members.flatMap((each) => each ?? []);
    if (all.length <= maxMembers) return all;
    const message = `the list with its values has more than ${maxMembers} members`;
    return this.#fail(name, message, "shorten it, or the lists in it");
  }

  #filledText(name: string, text: string, open: readonly string[]): TemplateValue | undefined {
    const missing: string[] = [];
    const inner = (placeholder: string): TemplateValue | undefined => {
      const variable = variableIn(placeholder);
      const value =
        variable === undefined ? this.valueOf(placeholder) : this.#valueOf(variable, open);
      if (value === undefined) missing.push(placeholder);
      return value;
    };
    // The value of one variable alone keeps its type.
    const alone = placeholderAlone(text);
    if (alone !== undefined) return inner(alone);
    const { text: filled, errors } = fillTemplate(text, "text", inner);
    for (const { message, remedy } of errors) this.#fail(name, message, remedy);
    return missing.length > 0 || errors.length > 0 ? undefined : filled;
  }

  #fail(name: string, message: string, remedy: string): undefined {
    this.diagnostics.push({ code: "BAD_PLACEHOLDER", path: ["vars", name], message, remedy });
  }

  #check(name: string, value: TemplateValue | undefined): void {
    const declaration = this.#declarations.get(name) ?? {};
    if (value === undefined) {
      const isUnset = this.#writtenFor(name) === undefined;
      if (declaration["required"] === true && isUnset) this.diagnostics.push(this.unset(name));
      return;
    }
    const isDefault = (this.#written.get(name) ?? null) === null;
    for (const found of violationsOf(name, declaration, value)) {
      this.#wrong.add(name);
      const path = ["vars", name, ...(isDefault ? ["default"] : []), ...found.path];
      this.diagnostics.push({ ...found, path });
    }
  }
}

/** The variable that a placeholder names; `undefined` for one of the zone. */
export function variableIn(placeholder: string): string | undefined {
  return placeholder.startsWith("vars.") ? placeholder.slice("vars.".length) : undefined;
}

function factIn(placeholder: string): keyof ZoneFacts | undefined {
  return zoneFactNames.find((name) => placeholder === `zone.${name}`);
}
