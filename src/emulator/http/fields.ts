import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../syntax/json.ts";
import { type ApiError, apiError } from "./api-error.ts";

/** Reads members of a request body; an invalid member throws a 400 with a pointer to it. */
export class FieldReader {
  readonly body: JsonObject;
  readonly #pointer: string;
  readonly #code: number;

  /** Reads `body`, which is at `pointer` of the request; errors have `code`. */
  constructor(body: JsonObject, pointer: string, code: number) {
    this.body = body;
    this.#pointer = pointer;
    this.#code = code;
  }

  /** Throws on unknown members: bodies of rulesets are strict (SERVICE.md B.3). */
  only(names: readonly string[]): void {
    const unknown = Object.keys(this.body).find((name) => !names.includes(name));
    if (unknown === undefined) return;
    const escaped = unknown.replaceAll("~", "~0").replaceAll("/", "~1");
    throw this.error(escaped, `invalid JSON: unknown field "${unknown}"`);
  }

  text(name: string): string | undefined {
    return this.#member(name, (value) => typeof value === "string", "a string");
  }

  boolean(name: string): boolean | undefined {
    return this.#member(name, (value) => typeof value === "boolean", "a boolean");
  }

  integer(name: string, min = -Infinity, max = Infinity): number | undefined {
    const value = this.#member(name, isInteger, "an integer");
    if (value === undefined || (value >= min && value <= max)) return value;
    const range = max === Infinity ? `at least ${min}` : `from ${min} to ${max}`;
    throw this.error(name, `${name} must be ${range}`);
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    const given = this.text(name);
    const value = values.find((candidate) => candidate === given);
    if (given === undefined || value !== undefined) return value;
    throw this.error(
      name,
      `'${given}' is not a valid value for ${name} because it is not one of ${values.join(", ")}`,
    );
  }

  object(name: string): FieldReader | undefined {
    const value = this.#member(name, isJsonObject, "an object");
    return value === undefined ? undefined : this.#below(name, value);
  }

  objects(name: string): readonly FieldReader[] | undefined {
    return this.#list(name)?.map((value, index) => {
      if (isJsonObject(value)) return this.#below(`${name}/${index}`, value);
      throw this.error(`${name}/${index}`, `invalid JSON: field "${name}" must hold objects`);
    });
  }

  texts(name: string): readonly string[] | undefined {
    return this.#list(name)?.map((value, index) => {
      if (typeof value === "string" && value !== "") return value;
      throw this.error(`${name}/${index}`, `invalid JSON: field "${name}" must hold strings`);
    });
  }

  /** `value`, which was read from the member `name`; throws if it is undefined. */
  required<T>(name: string, value: T | undefined): T {
    if (value === undefined) throw this.error(name, `field "${name}" is required`);
    return value;
  }

  /** An error at the member `name`, or at the object itself for "". */
  error(name: string, message: string, code: number = this.#code): ApiError {
    return apiError(400, code, message, this.#pointerTo(name));
  }

  #member<T extends Json>(
    name: string,
    isValid: (value: Json) => value is T,
    wanted: string,
  ): T | undefined {
    const value = this.body[name];
    if (value === undefined || isValid(value)) return value;
    throw this.error(name, `invalid JSON: field "${name}" must be ${wanted}`);
  }

  #list(name: string): readonly Json[] | undefined {
    return this.#member(name, isJsonList, "an array");
  }

  #below(name: string, value: JsonObject): FieldReader {
    return new FieldReader(value, this.#pointerTo(name), this.#code);
  }

  #pointerTo(name: string): string {
    return name === "" ? this.#pointer : `${this.#pointer}/${name}`;
  }
}

function isInteger(value: Json): value is number {
  return Number.isSafeInteger(value);
}

/** Index of the first value that stands before it too, -1 without one; `undefined` repeats nothing. */
export function firstRepeated(values: readonly unknown[]): number {
  return values.findIndex((value, at) => value !== undefined && values.indexOf(value) < at);
}
