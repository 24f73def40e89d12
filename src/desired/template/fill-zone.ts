import { checkCsp } from "../../syntax/csp/check-csp.ts";
import { adviseExpression } from "../../syntax/expression/advice/advise-expression.ts";
import {
  coerceObject,
  coerceText,
  isJsonList,
  isJsonObject,
  type Json,
  type JsonObject,
  withMembers,
} from "../../syntax/json.ts";
import { remembered } from "../../syntax/remembered.ts";
import type { SyntaxDiagnostic } from "../../syntax/syntax-diagnostic.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import type { UnplacedDiagnostic } from "../diagnostics.ts";
import type { Path } from "../location.ts";
import { cspText } from "../zones/csp-text.ts";
import { memberName } from "../zones/layer.ts";
import { isLeftOver, settledChange } from "../zones/list-change.ts";
import { phaseAt } from "../zones/phase-at.ts";
import { sections } from "../zones/zone-lists.ts";
import {
  fillableKeys,
  fillTemplate,
  isList,
  isTemplate,
  looksFillable,
  placeholderAlone,
  placeholdersIn,
  type TemplateKind,
  type TemplateScalar,
  type TemplateValue,
  textsIn,
} from "./template.ts";
import { variableIn, type Variables } from "./variables.ts";

/** Merged values with all placeholders filled. */
export interface FilledZone {
  readonly values: JsonObject;
  readonly diagnostics: readonly UnplacedDiagnostic[];
  /**
   * A diagnostic of a filled value at the variable that it has the value of; nothing for a value that
   * could not be filled.
   */
  readonly atCause: (found: UnplacedDiagnostic) => readonly UnplacedDiagnostic[];
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

/** Keys whose values name their entry: entries are merged by them before anything is filled. */
const identities: ReadonlySet<string> = new Set(["key", "was", "category", "id"]);

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
    atCause: (found) => filler.atCause(found),
    isSample: behind.some((each) => variables.isSample(each)),
    used: new Set(behind.flatMap((each) => variableIn(each) ?? [])),
  };
}

/**
 * Starts what a diagnostic says of the zone where it was found: it is the same diagnostic in the
 * next zone.
 */
const filledText = "; with the values of ";

/** Equal for the same diagnostic at the same place, whatever the zone has filled in. */
export function identityText({ place: { file, line, column }, code, message }: Diagnostic): string {
  const [before] = message.split(filledText);
  return `${file}:${line}:${column} ${code} ${before}`;
}

/** For readers, and the variables themselves. */
const unfilled: ReadonlySet<string> = new Set(["description", "vars"]);

const inPlaceOf = { text: "", expression: "true", csp: "zone.example" } as const;

/**
 * Values that are right in most places: a diagnostic that is there with one of the others only is
 * about the other.
 */
const neutral: readonly TemplateScalar[] = ["zone.example", "192.0.2.1", "/", 1];

/** Variables that are tried as the cause of a diagnostic. */
const maxTried = 20;

/** By diagnostic, text and values: the cause. It is the same in each zone of a profile, whatever its name. */
const causes = remembered<{ readonly cause: string | undefined }>(1_000);

class Filler {
  readonly diagnostics: UnplacedDiagnostic[] = [];
  /** The placeholders of the texts. */
  readonly used = new Set<string>();
  readonly #variables: Variables;
  /** By the path of a value that a placeholder alone is filled with: the variable that has it. */
  readonly #causes = new Map<
    string,
    { readonly cause: string | undefined; readonly isReported: boolean }
  >();

  /** The variables with another value of one of them. */
  readonly #with = remembered<Variables>(neutral.length * maxTried);

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  /** Fills all texts below a value that can have placeholders. */
  fill(value: Json, path: Path): Json {
    if (isJsonObject(value)) {
      const filled = withMembers(value, (part, name) => {
        const kind = kinds[name];
        const below = [...path, name];
        if (identities.has(name)) return this.literal(part, below);
        return kind === undefined ? this.fill(part, below) : this.#unit(part, below, kind);
      });
      return settledChange(filled);
    }
    if (isJsonList(value)) {
      return withItems(value, (item) => this.fill(item, memberPath(path, item)));
    }
    const alone = placeholderAlone(coerceText(value));
    if (alone === undefined) return this.literal(value, path);
    this.#use(alone, path);
    this.#remember(alone, path);
    return this.#variables.valueOf(alone) ?? value;
  }

  /** Tells placeholders if none are filled: nothing like one is ever written. */
  literal(value: Json, path: Path): Json {
    if (typeof value === "string" && looksFillable(value)) {
      const message = `a placeholder is not filled here: ${JSON.stringify(value)}`;
      this.diagnostics.push({ code: "BAD_PLACEHOLDER", path, message, remedy: fillableKeys });
      this.#causes.set(path.join(" "), { cause: undefined, isReported: true });
    } else if (isJsonList(value)) {
      for (const item of value) this.literal(item, memberPath(path, item));
    } else if (isJsonObject(value)) {
      for (const [name, inner] of Object.entries(value)) this.literal(inner, [...path, name]);
    }
    return value;
  }

  #use(placeholder: string, path: Path): void {
    this.used.add(placeholder);
    for (const name of this.#variables.missing(placeholder)) {
      this.diagnostics.push(this.#variables.unset(name, path));
    }
  }

  /** Keeps which variable a value as a whole has its value of; a member of a list names itself. */
  #remember(placeholder: string, path: Path): void {
    const value = this.#variables.valueOf(placeholder);
    const cause = this.#variables.sourceOf(placeholder);
    const isMember = path.at(-1) === `\${${placeholder}}`;
    const members = isMember ? [value ?? []].flat() : [];
    const paths = members.map((each) => [...path.slice(0, -1), String(each)]);
    const isReported =
      value === undefined || (cause !== undefined && this.#variables.isWrong(cause));
    for (const each of [path, ...paths]) {
      this.#causes.set(each.join(" "), { cause, isReported });
    }
  }

  /** See {@link FilledZone.atCause}. */
  atCause(found: UnplacedDiagnostic): readonly UnplacedDiagnostic[] {
    for (let length = found.path.length; length > 0; length -= 1) {
      const known = this.#causes.get(found.path.slice(0, length).join(" "));
      if (known?.isReported === true) return [];
      if (known?.cause === undefined) continue;
      const value = this.#variables.valueOf(`vars.${known.cause}`);
      const values = `${filledText}${this.#variables.zone} it is: ${shortened(JSON.stringify(value))}`;
      const message = found.message.includes(filledText) ? found.message : found.message + values;
      const member = isJsonList(value) ? [String(found.path.at(-1))] : [];
      return [{ ...found, message, path: ["vars", known.cause, ...member], atKey: false }];
    }
    return [found];
  }

  /**
   * Fills the value of one key, and checks what it becomes. What a variable causes is told at the
   * variable.
   */
  #unit(value: Json, path: Path, kind: TemplateKind): Json {
    const texts = textsIn(value);
    const placeholders = texts.flatMap(({ text }) => placeholdersIn(text));
    for (const each of placeholders) this.#use(each, path);
    for (const { path: at, text } of texts) {
      const alone = placeholderAlone(text);
      const names = at.map((step) => (typeof step === "number" ? text : step));
      if (alone !== undefined) this.#remember(alone, [...path, ...names]);
    }
    const filled = fillUnit(value, path, kind, this.#variables);
    this.diagnostics.push(...filled.misplaced);
    if (filled.found.length === 0) return filled.value;
    const names = this.#variables.behind(placeholders).flatMap((each) => variableIn(each) ?? []);
    const values = names.map((name) => this.#variables.valueOf(`vars.${name}`));
    const codes = new Set(filled.found.map(({ code }) => code));
    const foundWith = (variables: Variables): readonly UnplacedDiagnostic[] =>
      fillUnit(value, path, kind, variables).found;
    for (const found of filled.found) {
      const cause = isOfText(found, value, path, kind)
        ? undefined
        : causes(JSON.stringify([found.code, path, value, names, values]), () => ({
            cause: this.#causeOf(found.code, codes, names, foundWith),
          })).cause;
      const placed =
        cause === undefined ? this.atCause(found) : [{ ...found, path: ["vars", cause] }];
      this.diagnostics.push(...placed);
    }
    return filled.value;
  }

  /** The first variable that has no such diagnostic with another value, and no new ones instead. */
  #causeOf(
    code: UnplacedDiagnostic["code"],
    codes: ReadonlySet<UnplacedDiagnostic["code"]>,
    names: readonly string[],
    foundWith: (variables: Variables) => readonly UnplacedDiagnostic[],
  ): string | undefined {
    return names.slice(0, maxTried).find((name) =>
      neutral.some((other) => {
        const variables = this.#with(`${name} ${String(other)}`, () =>
          this.#variables.with(name, other),
        );
        const tried = new Set(foundWith(variables).map((each) => each.code));
        return !tried.has(code) && (code === "BAD_PLACEHOLDER" || tried.isSubsetOf(codes));
      }),
    );
  }
}

/** By path and text: what is wrong with it, whatever its values. Zones of one profile have the same texts. */
const foundWithAny = remembered<ReadonlySet<string>>(1_000);

/** Whether a diagnostic is about the text itself: no value is its cause. */
function isOfText(found: UnplacedDiagnostic, value: Json, path: Path, kind: TemplateKind): boolean {
  const ofText = foundWithAny(JSON.stringify([path, value]), () =>
    neutral
      .map((other) => {
        const values = { zone: "", valueOf: () => other, hasTexts: () => false };
        return new Set(fillUnit(value, path, kind, values).found.map(ownText));
      })
      .reduce((both, each) => both.intersection(each)),
  );
  return ofText.has(ownText(found));
}

/** A diagnostic without what it says of the zone where it was found. */
function ownText({ code, message }: UnplacedDiagnostic): string {
  return `${code} ${message.split(filledText, 1).join()}`;
}

/** Names a member of a list as {@link memberName} does. */
function memberPath(path: Path, member: Json): Path {
  return [...path, memberName(member) ?? ""];
}

/** A list with other items, of which each may become several; the same one if all stay the same. */
function withItems(list: readonly Json[], change: (item: Json, index: number) => Json): Json {
  const items = list.flatMap((item, index) => change(item, index));
  const isSame = items.length === list.length && items.every((each, index) => each === list[index]);
  return isSame ? list : [...new Set(items)];
}

interface FilledUnit {
  readonly value: Json;
  readonly found: readonly UnplacedDiagnostic[];
  /** Lists where none can stand. */
  readonly misplaced: readonly UnplacedDiagnostic[];
}

/** The value of one key with its placeholders filled, and what is wrong with it. */
function fillUnit(
  value: Json,
  path: Path,
  kind: TemplateKind,
  variables: Pick<Variables, "valueOf" | "hasTexts" | "zone">,
): FilledUnit {
  const found: UnplacedDiagnostic[] = [];
  const misplaced: UnplacedDiagnostic[] = [];
  const missing: string[] = [];
  const valueOf = (name: string): TemplateValue | undefined => {
    const known = variables.valueOf(name);
    if (known === undefined) missing.push(name);
    return known;
  };
  const fillText = (
    text: string,
    at: Path,
    values: (name: string) => TemplateValue | undefined,
  ): string => {
    const { text: filled, errors } = fillTemplate(text, kind, values, (name) =>
      variables.hasTexts(name),
    );
    for (const { message, remedy, isOfPlace = false } of errors) {
      const reported = { code: "BAD_PLACEHOLDER" as const, path: at, message, remedy };
      (isOfPlace ? misplaced : found).push(reported);
    }
    // What could not be filled must not be reported a second time for what it is without its
    // values.
    return errors.length > 0 || missing.length > 0 ? inPlaceOf[kind] : filled;
  };
  const fill = (inner: Json, at: Path): Json => {
    if (isJsonList(inner)) return withItems(inner, (item, index) => fill(item, [...at, index]));
    if (isJsonObject(inner)) {
      const members = withMembers(inner, (part, name) => {
        if (looksFillable(name)) {
          const message = `a placeholder is not filled in a key: ${JSON.stringify(name)}`;
          found.push({ code: "BAD_PLACEHOLDER", path: at, message, remedy: fillableKeys });
        }
        return fill(part, [...at, name]);
      });
      return settledChange(members);
    }
    if (typeof inner !== "string" || !isTemplate(inner)) return inner;
    const alone = placeholderAlone(inner);
    const whole = alone === undefined ? undefined : valueOf(alone);
    if (whole === undefined) return fillText(inner, at, valueOf);
    if (isList(whole)) {
      return kind === "csp" ? whole.map((each) => fillText(inner, at, () => each)) : whole;
    }
    if (kind !== "csp") return String(whole);
    return typeof at.at(-1) === "number" ? fillText(inner, at, valueOf) : whole;
  };
  const filled = fill(value, path);
  if (filled === value || [...found, ...misplaced, ...missing].length > 0) {
    return { value: filled, found, misplaced };
  }
  // What a file says without placeholders is checked with its file.
  return { value: filled, found: checked(filled, path, kind, variables.zone), misplaced };
}

/** What is wrong with a value that has been filled. */
function checked(
  value: Json,
  path: Path,
  kind: TemplateKind,
  zone: string,
): readonly UnplacedDiagnostic[] {
  const diagnosticsOf = (
    text: string,
    found: readonly SyntaxDiagnostic[],
  ): readonly UnplacedDiagnostic[] =>
    found.map(({ code, message, remedy }) => ({
      code,
      path,
      message: `${message}${filledText}${zone} the text is: ${shortened(text)}`,
      remedy,
    }));
  if (kind === "expression" && typeof value === "string") {
    return diagnosticsOf(value, adviseExpression(value, phaseAt(path)));
  }
  if (path.at(-1) !== "value") return [];
  if (typeof value === "string") return diagnosticsOf(value, checkCsp(value));
  const directives = Object.entries(coerceObject(value));
  // What is left of an impossible change is told by itself.
  if (directives.some(([, list]) => isLeftOver(list))) return [];
  const sources = directives.map(([directive, list]): [string, string[] | boolean] => [
    directive,
    isJsonList(list) ? list.map(String) : list === true,
  ]);
  const { text, diagnostics } = cspText(Object.fromEntries(sources));
  return diagnosticsOf(text, diagnostics.length > 0 ? diagnostics : checkCsp(text));
}

function shortened(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
