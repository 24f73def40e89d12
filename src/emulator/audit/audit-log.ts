import type { JsonObject } from "../../syntax/json.ts";
import { idFrom } from "../store.ts";

/** Who wrote, as entries of the audit log say. */
export interface WireAuditActor {
  readonly id?: string;
  readonly type: "user" | "account" | "system";
  readonly context?: "dash" | "api_token";
  readonly email?: string;
  readonly ip_address?: string;
  readonly token_id?: string;
  readonly token_name?: string;
}

/** An entry of the audit log, in the service's form (SERVICE.md C.7). */
export interface WireAuditEntry {
  readonly id: string;
  readonly account: { readonly id: string; readonly name: string };
  readonly action: {
    readonly description: string;
    readonly result: "success" | "failure";
    readonly time: string;
    readonly type: "create" | "update" | "delete";
  };
  readonly actor: WireAuditActor;
  /** Absent for what the service does by itself. */
  readonly raw?: {
    readonly cf_ray_id: string;
    readonly method: string;
    readonly status_code: number;
    readonly uri: string;
    readonly user_agent: string;
  };
  readonly resource: {
    readonly id?: string;
    readonly product: string;
    readonly type: string;
    readonly scope: "accounts" | "zones";
    /** What the request wrote; absent if it is long. */
    readonly request?: JsonObject;
  };
  readonly zone?: { readonly id: string; readonly name: string };
}

/** What injected faults do to an entry. */
export interface AuditEffects {
  /** How long after the action the log returns it. */
  readonly lateMs?: number;
  readonly lost?: boolean;
  readonly duplicated?: boolean;
}

/** Newest entries that are kept. */
const maxEntries = 200_000;

/** The service keeps entries for 18 months (SERVICE.md C.7). */
const retentionMonths = 18;

interface Kept {
  readonly entry: WireAuditEntry;
  readonly at: number;
  readonly visibleAt: number;
}

export class AuditLog {
  /** In the order of their times. */
  #entries: Kept[] = [];
  #count = 0;

  /** Adds an entry for something that happens `now`; gives its id. */
  add(draft: Omit<WireAuditEntry, "id">, now: Date, effects: AuditEffects = {}): string {
    this.#count += 1;
    const id = uuidFrom(idFrom(`audit/${this.#count}`));
    if (effects.lost === true) return id;
    const at = now.getTime();
    const kept = { entry: { id, ...draft }, at, visibleAt: at + (effects.lateMs ?? 0) };
    const isEarlier = at < (this.#entries.at(-1)?.at ?? at);
    this.#entries.push(kept);
    if (effects.duplicated === true) this.#entries.push(kept);
    if (isEarlier) this.#entries.sort((a, b) => a.at - b.at);
    if (this.#entries.length > 2 * maxEntries) this.#entries = this.#entries.slice(-maxEntries);
    return id;
  }

  /** The entries of an account that the log returns at `now`, oldest first. */
  of(accountId: string, now: Date): readonly WireAuditEntry[] {
    const oldest = new Date(now);
    oldest.setUTCMonth(oldest.getUTCMonth() - retentionMonths);
    return this.#entries
      .slice(-maxEntries)
      .filter(
        ({ entry, at, visibleAt }) =>
          entry.account.id === accountId && visibleAt <= now.getTime() && at >= oldest.getTime(),
      )
      .map(({ entry }) => entry);
  }

  clear(): void {
    this.#entries = [];
  }
}

/** The form that the service gives the ids of entries. */
function uuidFrom(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
