import type { Config } from "../desired/config/config.ts";

/** Whose store it is. What another owner or service stored says nothing about the zones of this one. */
export interface StoreIdentity {
  readonly owner: string;
  /** Address of the service. */
  readonly service: string;
}

/** Whose store it is that a configuration names. */
export function identityOf({ desired, api }: Config): StoreIdentity {
  return { owner: desired.owner, service: api.baseUrl };
}

/** Why the state that was stored cannot be used; the daemon then starts as if there were none. */
export const stateLosses = [
  /** A line in the middle does not have the checksum that it was written with, or a table is empty that was not. */
  "damaged",
  /** Written by another installation: another owner, or another service address. */
  "foreign",
  /** Written by a newer version of the program. */
  "newer",
  /** It cannot be read. */
  "unreadable",
] as const;

export type StateLoss = (typeof stateLosses)[number];

/** What was found when the store was opened. */
export type OpenResult =
  | { readonly result: "empty" }
  | {
      readonly result: "loaded";
      readonly entries: number;
      /** The copy that was set aside before and is used again: what came after it is not known. */
      readonly takenBack?: string;
    }
  | {
      readonly result: "lost";
      readonly reason: StateLoss;
      readonly detail: string;
      /** The copy that it is kept as; absent: it is where it was. */
      readonly keptAs?: string;
    };

/** Whether what is set outlives the process. */
export type StoreStatus =
  /** No place is configured. */
  | { readonly status: "none" }
  | { readonly status: "ok" }
  | { readonly status: "failing"; readonly since: Date; readonly error: Error };

/**
 * What the daemon remembers across restarts: texts by key. What is set is kept in memory at once and written soon, many
 * changes at a time; a batch is stored as a whole or, after a crash, not at all.
 */
export interface StateStore extends AsyncDisposable {
  readonly opened: OpenResult;
  readonly status: StoreStatus;
  get(key: string): string | undefined;
  /** Keys that begin with `prefix`, in no order. */
  keys(prefix: string): readonly string[];
  /** Sets the text of a key, or removes it. Never throws and never waits. */
  set(key: string, text: string | undefined): void;
  /** Waits until everything that was set is on the disk; false if it cannot be written now. */
  flush(): Promise<boolean>;
  /** Whether the place is still this process's; `false`: another one took it over, and this one must write nothing more. */
  isHeld(): Promise<boolean>;
}
