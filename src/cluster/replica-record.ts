import { coerceObject, coerceText, isJsonObject } from "../syntax/json.ts";

/** What a replica says of itself in the Lease that all replicas write. */
export interface ReplicaEntry {
  /** Counts up: a replica whose beat stays the same is silent. */
  readonly beat: number;
  /** Of its credentials. Replicas that differ in it share no shards. */
  readonly setUp: string;
  /** Whether it may hold shards. */
  readonly stands: boolean;
  /** Whether it ends now. */
  readonly leaves: boolean;
}

/** All replicas by their identities. */
export type ReplicaRecord = ReadonlyMap<string, ReplicaEntry>;

/** The annotation of the Lease in which the replicas are. */
export const replicasKey = "zonewarden/replicas";

/** So many replicas are believed: what others write must not fill the memory. */
const maxReplicas = 200;

/** Reads the record. Entries of a wrong shape are not there. */
export function replicasIn(text: string | undefined): ReplicaRecord {
  const entries = Object.entries(coerceObject(parsed(text))).slice(0, maxReplicas);
  return new Map(
    entries.flatMap(([identity, value]) => {
      if (!isJsonObject(value) || typeof value["beat"] !== "number") return [];
      const { beat, setUp, stands, leaves } = value;
      const flags = { stands: stands === true, leaves: leaves === true };
      return [[identity, { beat, setUp: coerceText(setUp), ...flags }] as const];
    }),
  );
}

/** The text of the annotation. */
export function replicasText(replicas: ReplicaRecord): string {
  return JSON.stringify(Object.fromEntries(replicas));
}

function parsed(text = ""): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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

/** The replicas that share the shards with one that has these credentials; none while others may still hold some. */
export function sharing(live: ReplicaRecord, setUp: string): readonly string[] {
  const others = [...live.values()].some((entry) => entry.setUp !== setUp && entry.stands);
  if (others) return [];
  return [...live].filter(([, entry]) => entry.stands && !entry.leaves).map(([name]) => name);
}

/** Who holds the Lease after one that ends: best one with the same credentials. */
export function successorOf(replicas: ReplicaRecord, setUp: string): string {
  const names = [...replicas].filter(([, { leaves }]) => !leaves);
  const same = names.find(([, entry]) => entry.setUp === setUp);
  return (same ?? names[0])?.[0] ?? "";
}
