import type { JudgedTokenUse, TokenUse } from "../state/audit-status.ts";
import type { AuditEntry } from "../zone/audit-entry.ts";
import type { Clock } from "../zone/ports.ts";
import type { ZoneName } from "../zone/zone.ts";
import type { AuditSource } from "./account-log.ts";
import { type FormerTerm, type Origin, OwnEntries } from "./own-entries.ts";
import { TokenUses } from "./token-uses.ts";
import { type DeclaredZones, touchedZones } from "./touched-zones.ts";

/** Uses of our tokens elsewhere that are remembered, so that they count as those of others; of a flood, the newest. */
const maxUses = 10_000;

/** Writes and ids that a process passes on to the next; of more, the newest. */
const maxPassedOn = 1_000;

/** Entries of an account of which later reads decide whether they are ours. */
const maxUndecided = 1_000;

export interface OwnTokenPorts {
  readonly source: Pick<AuditSource, "isOwnToken" | "credentialOf" | "sentWrites">;
  readonly clock: Pick<Clock, "now">;
  /** Whether an id is of a request that a process before this one sent. */
  readonly isEarlierRay: (ray: string) => boolean;
  /** What the process before passed on; left out: nothing. */
  readonly former?: FormerTerm | undefined;
  /** Called for new uses of our tokens elsewhere, before their zones are woken. */
  readonly usedElsewhere: (uses: readonly TokenUse[]) => void;
  /** Called for uses that concern no declared zone: no run tells more of them. */
  readonly usedForOthers: (uses: readonly JudgedTokenUse[]) => void;
  /** Called with the number of new entries of our tokens of which nobody knows whether they are ours. */
  readonly possiblyOwn: (count: number) => void;
}

/** What one read of an account says of the entries of our tokens. */
interface JudgedEntries {
  /** Entries of which a later read decides. */
  readonly undecided: readonly AuditEntry[];
  /** How many we wrote, or may have written. */
  readonly own: number;
  /** Entries that are not ours, or newly undecided: their zones have to be read. */
  readonly toRead: readonly AuditEntry[];
}

/** Whose the entries of our tokens are: ours, or of somebody else who uses a token. */
export class OwnTokens {
  readonly uses: TokenUses = new TokenUses();
  readonly #ports: OwnTokenPorts;
  readonly #beganAt: Date;
  readonly #ownEntries: OwnEntries;
  /** Ids of entries of our tokens that are not ours. */
  readonly #elsewhere: Set<string>;

  constructor(ports: OwnTokenPorts) {
    this.#ports = ports;
    this.#beganAt = ports.clock.now();
    this.#ownEntries = new OwnEntries(this.#beganAt, ports.isEarlierRay, ports.former);
    this.#elsewhere = new Set(ports.former?.elsewhere);
  }

  /** What the next process has to know of this one, which stopped at a moment; `undefined`: it did not follow any log. */
  termUntil(stoppedAt: Date | undefined): FormerTerm {
    const { writes, completeSince } = this.#ports.source.sentWrites();
    const kept = writes.slice(-maxPassedOn);
    const keptSince = kept.length < writes.length ? Number(kept[0]?.sentAt) : 0;
    const since = new Date(Math.max(Number(this.#beganAt), Number(completeSince), keptSince));
    const elsewhere = [...this.#elsewhere].slice(-maxPassedOn);
    return { since, until: stoppedAt ?? since, writes: kept, elsewhere };
  }

  /** Whether zonewarden made an entry, or may have made it. */
  isOwn({ id, actor }: AuditEntry): boolean {
    return this.#ports.source.isOwnToken(actor.tokenId) && !this.#elsewhere.has(id);
  }

  /** Judges the entries of a read that one of our tokens made, and those that were undecided before. */
  judge(
    entries: readonly AuditEntry[],
    undecided: readonly AuditEntry[],
    declared: DeclaredZones,
  ): JudgedEntries {
    const { clock, source, possiblyOwn } = this.#ports;
    const asked = [...undecided, ...entries.filter((entry) => this.#isJudged(entry))];
    const origins = this.#ownEntries.judge(asked, source.sentWrites(), clock.now());
    const having = (origin: Origin): readonly AuditEntry[] =>
      [...origins].filter((each) => each[1] === origin).map(([entry]) => entry);
    const possible = having("possible").length;
    if (possible > 0) possiblyOwn(possible);
    const elsewhere = having("elsewhere");
    this.#tellUses(elsewhere, declared);
    const later = having("later").slice(-maxUndecided);
    const [left, known] = [new Set([...elsewhere, ...later]), new Set(undecided)];
    return {
      undecided: later,
      own: asked.filter((entry) => !left.has(entry)).length,
      toRead: [...elsewhere, ...later.filter((entry) => !known.has(entry))],
    };
  }

  #tellUses(entries: readonly AuditEntry[], declared: DeclaredZones): void {
    const { clock, usedElsewhere, usedForOthers } = this.#ports;
    const uses: TokenUse[] = [];
    const others: JudgedTokenUse[] = [];
    for (const entry of entries) {
      this.#noteElsewhere(entry.id);
      const zones = touchedZones(entry, declared);
      for (const zone of zones.length === 0 ? [undefined] : zones) {
        const use = this.#useOf(entry, zone);
        uses.push(use);
        const judged = this.uses.add(use, zone, clock.now());
        if (judged !== undefined) others.push(judged);
      }
    }
    if (uses.length > 0) usedElsewhere(uses);
    if (others.length > 0) usedForOthers(others);
  }

  #isJudged(entry: AuditEntry): boolean {
    return this.isOwn(entry) && this.#ports.source.credentialOf(entry.actor.tokenId) !== "";
  }

  #useOf({ at, actor, method, path, ray }: AuditEntry, zone: ZoneName | undefined): TokenUse {
    const credential = this.#ports.source.credentialOf(actor.tokenId);
    return { at, credential, zone: zone ?? "", method, path, ray };
  }

  #noteElsewhere(id: string): void {
    this.#elsewhere.add(id);
    for (const oldest of this.#elsewhere) {
      if (this.#elsewhere.size <= maxUses) break;
      this.#elsewhere.delete(oldest);
    }
  }
}
