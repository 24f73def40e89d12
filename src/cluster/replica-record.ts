import { coerceObject, coerceText, isJsonObject, parseJson } from "../syntax/json.ts";

/** What a replica says of itself in the Lease that all replicas write. */
export interface ReplicaEntry {
  /** Counts up: a replica whose beat stays the same is silent. */
  readonly beat: number;
  /** Of its credentials. Replicas that differ in it share no shards. */
  readonly setUp: string;
  /** Whether it may hold shards, or wants to: replicas with other credentials hold none. */
  readonly stands: boolean;
  /** Whether it may hold shards. */
  readonly shares: boolean;
  /** Whether it ends now. */
  readonly leaves: boolean;
}

/** Replicas by their identities. */
export type KnownReplicas = ReadonlyMap<string, ReplicaEntry>;

/** What the Lease says of the replicas. */
export interface ReplicaRecord {
  /** Another one for each record: one that somebody removed, and one that was made after it, differ. "": there is none. */
  readonly id: string;
  /** Whether every replica that may hold shards is in it. A record that was made anew knows nothing of those before. */
  readonly isComplete: boolean;
  readonly replicas: KnownReplicas;
}

/** The annotation of the Lease in which the record is. */
export const recordKey = "zonewarden/replicas";

/** Where there is no record. */
export const noRecord: ReplicaRecord = { id: "", isComplete: false, replicas: new Map() };

/** So many replicas are believed: what others write must not fill the memory. */
const maxReplicas = 200;

/** Reads the record. Entries of a wrong shape are not there. */
export function recordIn(text: string | undefined): ReplicaRecord {
  const { id, isComplete, replicas } = coerceObject(parseJson(text ?? ""));
  if (typeof id !== "string" || id === "") return noRecord;
  const entries = Object.entries(coerceObject(replicas)).slice(0, maxReplicas);
  return {
    id,
    isComplete: isComplete === true,
    replicas: new Map(
      entries.flatMap(([identity, value]) => {
        if (!isJsonObject(value) || typeof value["beat"] !== "number") return [];
        const { beat, setUp, stands, shares, leaves } = value;
        const flags = { stands: stands === true, shares: shares === true, leaves: leaves === true };
        return [[identity, { beat, setUp: coerceText(setUp), ...flags }] as const];
      }),
    ),
  };
}

/** The text of the annotation. */
export function recordText({ id, isComplete, replicas }: ReplicaRecord): string {
  return JSON.stringify({ id, isComplete, replicas: Object.fromEntries(replicas) });
}

/** The holder of the Lease of the replicas, as one of them knows it. */
export interface Coordinator {
  /** `undefined`: a process that shares no shards holds the Lease, or nobody. */
  readonly entry: ReplicaEntry | undefined;
  /** Whether it is silent for so long that another may take its place. */
  readonly isGone: boolean;
}

/**
 * Whether a replica gives up all shards: the Lease is held by a process that it must not work beside, one with other
 * credentials or without shards.
 */
export function yields(setUp: string, { entry, isGone }: Coordinator): boolean {
  return entry === undefined ? !isGone : entry.setUp !== setUp;
}

/** Whether a replica with other credentials may hold shards. */
export function isKeptOut(live: KnownReplicas, setUp: string): boolean {
  return [...live.values()].some((entry) => entry.setUp !== setUp && entry.stands);
}

/** The replicas that share the shards with one that has these credentials; none while others may still hold some. */
export function sharing(live: KnownReplicas, setUp: string): readonly string[] {
  if (isKeptOut(live, setUp)) return [];
  return [...live].filter(([, entry]) => entry.shares && !entry.leaves).map(([name]) => name);
}

/**
 * Who holds the Lease after one that ends: best one with the same credentials. One that ends too, and may still hold shards,
 * keeps it from a process that works without shards.
 */
export function successorOf(replicas: KnownReplicas, setUp: string): string {
  const stay = [...replicas].filter(([, { leaves }]) => !leaves);
  const same = stay.find(([, entry]) => entry.setUp === setUp);
  const last = [...replicas].find(([, { stands }]) => stands);
  return (same ?? stay[0] ?? last)?.[0] ?? "";
}
