import { type Json, type JsonObject, isJsonList, isJsonObject } from "../../syntax/json.ts";
import { type ServiceError, refused } from "./api-error.ts";

/** Reads members of a body at the edge; each mistake is refused with its code and a pointer to its place. */
export interface FieldReader {
  /** Refuses members that the service does not know: its rulesets bodies are strict (SERVICE.md B.3). */
  only(names: readonly string[]): void;
  text(name: string): string | undefined;
  flag(name: string): boolean | undefined;
  integer(name: string): number | undefined;
  oneOf(name: string, values: readonly string[]): string | undefined;
  object(name: string): FieldReader | undefined;
  objects(name: string): readonly FieldReader[] | undefined;
  texts(name: string): readonly string[] | undefined;
  /** What a member that must be there gives; refuses its absence. */
  required<T>(name: string, value: T | undefined): T;
  /** A refusal that points to the member `name`, or to the object itself for "". */
  mistake(name: string, message: string, code?: number): ServiceError;
  readonly body: JsonObject;
}

/** A reader of `body`, which stands at `pointer` in the request; mistakes carry `code`. */
export function fieldsOf(body: JsonObject, pointer: string, code: number): FieldReader {
  const mistake = (name: string, message: string, own = code): ServiceError =>
    refused(400, own, message, pointerTo(pointer, name));

  function member<T extends Json>(
    name: string,
    isWanted: (value: Json) => value is T,
    wanted: string,
  ): T | undefined {
    const value = body[name];
    if (value === undefined) return undefined;
    if (!isWanted(value)) throw mistake(name, `invalid JSON: field "${name}" must be ${wanted}`);
    return value;
  }

  const list = (name: string): readonly Json[] | undefined => member(name, isJsonList, "an array");
  const inner = (name: string, value: JsonObject): FieldReader =>
    fieldsOf(value, pointerTo(pointer, name), code);

  return {
    body,
    mistake,
    only: (names) => {
      const unknown = Object.keys(body).find((name) => !names.includes(name));
      if (unknown === undefined) return;
      throw mistake(escaped(unknown), `invalid JSON: unknown field "${unknown}"`);
    },
    text: (name) => member(name, isText, "a string"),
    flag: (name) => member(name, isFlag, "a boolean"),
    integer: (name) => member(name, isInteger, "an integer"),
    oneOf: (name, values) => {
      const value = member(name, isText, "a string");
      if (value === undefined || values.includes(value)) return value;
      throw mistake(
        name,
        `'${value}' is not a valid value for ${name} because it is not one of ${values.join(", ")}`,
      );
    },
    object: (name) => {
      const value = member(name, isJsonObject, "an object");
      return value === undefined ? undefined : inner(name, value);
    },
    objects: (name) =>
      list(name)?.map((value, index) => {
        if (isJsonObject(value)) return inner(`${name}/${index}`, value);
        throw mistake(`${name}/${index}`, `invalid JSON: field "${name}" must hold objects`);
      }),
    texts: (name) =>
      list(name)?.map((value, index) => {
        if (typeof value === "string" && value !== "") return value;
        throw mistake(`${name}/${index}`, `invalid JSON: field "${name}" must hold strings`);
      }),
    required: (name, value) => {
      if (value === undefined) throw mistake(name, `field "${name}" is required`);
      return value;
    },
  };
}

function pointerTo(pointer: string, name: string): string {
  return name === "" ? pointer : `${pointer}/${name}`;
}

/** A name as a JSON pointer has it. */
function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function isText(value: Json): value is string {
  return typeof value === "string";
}

function isFlag(value: Json): value is boolean {
  return typeof value === "boolean";
}

function isInteger(value: Json): value is number {
  return Number.isSafeInteger(value);
}
