/** An operation of the service, as `--help` and the README list it. */
export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the base path, with parameters as `:zone_id`. */
  readonly path: string;
  readonly summary: string;
}

/** Every operation that the emulator supports. */
export declare const operations: readonly Operation[];
