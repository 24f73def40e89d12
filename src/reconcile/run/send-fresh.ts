import { isDeepStrictEqual } from "node:util";

import type { Plan } from "../../plan/plan.ts";
import { byText } from "../../syntax/by-text.ts";
import type { LiveZone } from "../../zone/live-zone.ts";
import { onlyPart, type ReadTimes, type Written } from "../../zone/ports.ts";
import { ServiceError } from "../../zone/service-error.ts";
import { joinSignals, type StopSignals } from "../../zone/signals.ts";
import { partOf, type Write, type ZonePart } from "../../zone/write.ts";
import type { RunPorts } from "./deadline.ts";
import { freshReadMs, type WriteGate } from "./write-gate.ts";

/** When what the writes of a run rely on was read, by the monotonic clock. */
export class ReadAges {
  readonly #parts: Partial<Record<ZonePart, number | undefined>>;
  /** Policies that a later answer showed alone, by id. */
  readonly #policies = new Map<string, number>();

  constructor(readAt: ReadTimes) {
    this.#parts = { ...readAt };
  }

  /**
   * When what a write relies on was read. An update of a policy relies on that policy; a create and a delete rely on the
   * list, which shows what else has the same mark.
   */
  readAtFor(write: Write): number {
    const part = this.#parts[partOf(write)] ?? Number.NEGATIVE_INFINITY;
    if (write.call !== "update-policy") return part;
    return Math.max(part, this.#policies.get(write.id) ?? Number.NEGATIVE_INFINITY);
  }

  /** Takes in the answer to a write. An answer about one policy says nothing about the others. */
  renew(write: Write, { readAt, shows }: Pick<Written, "readAt" | "shows">): void {
    if (shows === "part") this.#parts[partOf(write)] = readAt;
    else if (write.call === "update-policy") this.#policies.set(write.id, readAt);
  }
}

/** What the writes of a plan are sent with. */
export interface Sending {
  readonly plan: Plan;
  readonly ages: ReadAges;
  readonly gate: WriteGate;
  readonly ports: RunPorts;
  readonly signals: StopSignals;
}

/**
 * Sends a write on a read that is young enough.
 *
 * Between two writes, a part whose read expires soon is read again: a plan of many writes takes longer than a read is
 * valid, and the answers to its writes show single objects only. If another read shows anything else, the gate is
 * closed, and the next run plans again. So it is where a list that was read after the write shows more than the write did.
 */
export async function sendOnRead(
  live: LiveZone,
  write: Write,
  isFirst: boolean,
  sending: Sending,
): Promise<Written> {
  const written = await sendYoung(live, write, isFirst, sending);
  if (written.shows === "object") return written;
  const [before, after] = [
    othersIn(live, write, written.live),
    othersIn(written.live, write, live),
  ];
  if (!isDeepStrictEqual(before, after)) sending.gate.close("read_expired");
  return written;
}

/** The policies of a zone but those that a write to a policy changed, created or deleted. */
function othersIn({ policies = [] }: LiveZone, write: Write, other: LiveZone): unknown {
  if (write.call === "create-policy") {
    const known = new Set(other.policies?.map(({ id }) => id));
    const { description } = write.body;
    const made = policies.find((each) => !known.has(each.id) && each.description === description);
    return byId(policies.filter((each) => each !== made));
  }
  if (write.call === "update-policy" || write.call === "delete-policy") {
    return byId(policies.filter(({ id }) => id !== write.id));
  }
  // All settings are one write, and rules of others do not matter for the writes of ours.
  return [];
}

async function sendYoung(
  live: LiveZone,
  write: Write,
  isFirst: boolean,
  sending: Sending,
): Promise<Written> {
  const { plan, ages, gate, ports, signals } = sending;
  if (needsFreshRead(write, plan)) return await sendFresh(live, write, sending);
  if (!isFirst && gate.expiresSoon(ages.readAtFor(write))) await readAgain(live, write, sending);
  gate.checkBeforeWrite(ages.readAtFor(write));
  signals.stop.throwIfAborted();
  return await ports.writer.write(live, write, signals.abort, signals.stop, () => gate.check());
}

/** Whether a write undoes what others did after the read: see {@link freshReadMs}. */
function needsFreshRead(write: Write, { changes }: Plan): boolean {
  if (write.call === "put-entrypoint" || write.call === "delete-ruleset") return true;
  if (write.call !== "delete-policy") return false;
  return changes.some(
    (change) => change.verb === "delete" && change.reason === "duplicate" && change.id === write.id,
  );
}

/**
 * Sends a write on a read that is younger than {@link freshReadMs}: where it is older, and where the write waits for
 * longer, the part is read again.
 *
 * How long the write may wait doubles each time: otherwise a tight request budget would be spent on reads alone. The
 * gate's own limit stays.
 */
async function sendFresh(live: LiveZone, write: Write, sending: Sending): Promise<Written> {
  const { ages, gate, ports, signals } = sending;
  const { writer, clock } = ports;
  const ageMs = (): number => clock.monotonicMs() - ages.readAtFor(write);
  let isOld = ageMs() >= freshReadMs;
  for (let limitMs = freshReadMs; ; limitMs *= 2) {
    if (isOld) await readAgain(live, write, sending);
    // The answer may have taken as long: then it is old already.
    isOld = ageMs() >= limitMs;
    if (isOld) continue;
    gate.checkBeforeWrite(ages.readAtFor(write));
    signals.stop.throwIfAborted();
    const aged = new AbortController();
    const stopAlarm = clock.alarm(Math.max(0, limitMs - ageMs()), () => aged.abort());
    using stop = joinSignals(signals.stop, aged.signal);
    try {
      return await writer.write(live, write, signals.abort, stop.signal, () => {
        gate.check();
        if (ageMs() >= limitMs) aged.abort();
      });
    } catch (error) {
      if (!aged.signal.aborted || !isCancelled(error, stop.signal)) throw error;
      // Whatever the clock says: a timer may ring a little early.
      isOld = true;
    } finally {
      stopAlarm();
    }
  }
}

/** Reads the part of a write again. Throws if it has changed: then the gate is closed. */
async function readAgain(
  live: LiveZone,
  write: Write,
  { ages, gate, ports, signals }: Sending,
): Promise<void> {
  const part = partOf(write);
  const parts = onlyPart(part, live);
  const answers = await ports.reader.readAnswers(live.zone, parts, "write", signals.stop);
  const isSame = isDeepStrictEqual(contentOf(part, answers.live()), contentOf(part, live));
  if (!isSame) gate.close("read_expired");
  signals.stop.throwIfAborted();
  ages.renew(write, { readAt: answers.readAt[part] ?? Number.NEGATIVE_INFINITY, shows: "part" });
  gate.checkBeforeWrite(ages.readAtFor(write));
}

function contentOf(part: ZonePart, live: LiveZone): unknown {
  if (part === "settings") return live.settings;
  if (part === "policies") return live.policies && byId(live.policies);
  if (part === "custom_rulesets") return live.customRulesets && byId(live.customRulesets);
  return live.entrypoints[part];
}

function byId<T extends { readonly id: string }>(list: readonly T[]): readonly T[] {
  return list.toSorted(byText(({ id }) => id));
}

/** Whether a write that threw was cancelled: it was not sent, or the service rejected it (429). */
export function isCancelled(error: unknown, stop: AbortSignal): boolean {
  const isRateLimited = error instanceof ServiceError && error.code === "API_RATE_LIMITED";
  return stop.aborted && (error === stop.reason || isRateLimited);
}
