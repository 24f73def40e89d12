import type { ZoneName } from "../../zone/zone.ts";

/** What is stored of the runs of a zone. */
export interface StoredZone {
  /** Digest of the declaration that was live last; "": none is known. */
  readonly converged: string;
  /** When each field was corrected, in milliseconds since the epoch. */
  readonly corrections: ReadonlyMap<string, readonly number[]>;
}

/** What runs remember beyond the end of the process. Setting never throws and never waits. */
export interface RunStore {
  /** Whether what is set now can be written; `false`: a restart would forget it. */
  readonly isWritable: boolean;
  zone(name: ZoneName): StoredZone | undefined;
  setZone(name: ZoneName, stored: StoredZone): void;
  /** Hashes of the plans whose release was used. */
  usedReleases(): readonly string[];
  setUsedReleases(hashes: readonly string[]): void;
}
