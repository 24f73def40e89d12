/** What a ConfigMap holds: texts and bytes by key. */
export interface MapContent {
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, Uint8Array>>;
}

/** A ConfigMap as the API server showed it. */
export interface StoredMap {
  /** Another one for an object that was removed and made again. */
  readonly uid: string;
  /** Changes with every write of the object. */
  readonly version: string;
  readonly data: Readonly<Record<string, string>>;
  readonly binaryData: Readonly<Record<string, Uint8Array>>;
}

/** ConfigMaps of one namespace. Everything rejects if the API server gives no usable answer. */
export interface ConfigMaps {
  /** `undefined`: there is none. */
  read(name: string): Promise<StoredMap | undefined>;
  /**
   * Writes a ConfigMap where it still has `version`, and makes it where that is `undefined`. Gives the new version;
   * `undefined` if it is another one.
   */
  write(
    name: string,
    content: MapContent,
    version: string | undefined,
  ): Promise<string | undefined>;
}
