/** A value of a zone file after merging, which removes every `null`. */
export type Merged<T> = T extends null | undefined
  ? never
  : T extends object
    ? { [K in keyof T]: Merged<T[K]> }
    : T;
