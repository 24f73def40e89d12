import { answerError, type KubeClient } from "../cluster/kube-client.ts";
import type { Kubernetes, Pod } from "../cluster/kubernetes.ts";
import type { Clock } from "../zone/ports.ts";

/** Something that people should see with `kubectl get events`. */
export interface ClusterEvent {
  /** One word, as `PlanHeld`: what is gathered under one reason becomes one Event. */
  readonly reason: string;
  readonly type: "Normal" | "Warning";
  readonly note: string;
}

export interface EventPorts {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly uniqueId: () => string;
  /** The pod of this process: `kubectl describe pod` shows its Events. */
  readonly pod: Pod;
  /** Events cannot be written; once until they can. */
  readonly failed: (error: Error) => void;
}

/** Records Events about the pod of this process; `undefined`: it runs in none, or is not told in which one. */
export function eventRecorder(
  kubernetes: Pick<Kubernetes, "kube" | "pod"> | undefined,
  ports: Pick<EventPorts, "clock" | "uniqueId" | "failed">,
): EventRecorder | undefined {
  if (kubernetes?.pod === undefined) return undefined;
  const { kube, pod } = kubernetes;
  return new EventRecorder({ ...ports, kube, pod });
}

/** How long Events of one reason are gathered. */
const gatherMs = 10_000;
/** At most so many Events are written within {@link periodMs}; what comes more waits, and is gathered. */
const maxEvents = 25;
const periodMs = 300_000;
/** The API server accepts 1,024 characters. */
const maxNoteLength = 1_000;
const maxNotes = 10;
const timeoutMs = 5_000;
/** An API server that does not answer must not keep the process from ending. */
const graceMs = 3_000;

interface Gathered {
  readonly type: ClusterEvent["type"];
  readonly count: number;
  readonly notes: readonly string[];
}

/** Writes Events, few and gathered: a fleet of thousands of zones must not flood those of its cluster. */
export class EventRecorder implements AsyncDisposable {
  readonly #ports: EventPorts;
  #gathered = new Map<string, Gathered>();
  #writtenAt: readonly number[] = [];
  #cancelTimer: (() => void) | undefined;
  #work: Promise<void> = Promise.resolve();
  #isFailing = false;
  #isEnded = false;

  constructor(ports: EventPorts) {
    this.#ports = ports;
  }

  /** Never throws and never waits. */
  record({ reason, type, note }: ClusterEvent): void {
    const known = this.#gathered.get(reason) ?? { type, count: 0, notes: [] };
    const notes = known.notes.length < maxNotes ? [...known.notes, note] : known.notes;
    const isWarning = known.type === "Warning" || type === "Warning";
    const count = known.count + 1;
    this.#gathered.set(reason, { type: isWarning ? "Warning" : "Normal", count, notes });
    this.#writeLater();
  }

  /** Writes what is gathered, as far as the limit and the time allow. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true;
    this.#cancelTimer?.();
    this.#write();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const stopAlarm = this.#ports.clock.alarm(graceMs, resolve);
    await Promise.race([this.#work, late]);
    stopAlarm();
  }

  #writeLater(): void {
    // A timer would keep the process from ending.
    if (this.#isEnded) return;
    this.#cancelTimer ??= this.#ports.clock.alarm(gatherMs, () => {
      this.#cancelTimer = undefined;
      this.#write();
    });
  }

  #write(): void {
    this.#work = this.#work.then(async () => {
      try {
        await this.#writeGathered();
      } catch (error) {
        this.#fail(error);
      }
      if (this.#gathered.size > 0) this.#writeLater();
    });
  }

  async #writeGathered(): Promise<void> {
    if (this.#gathered.size === 0) return;
    const now = this.#ports.clock.monotonicMs();
    this.#writtenAt = this.#writtenAt.filter((at) => at > now - periodMs);
    // What comes while one is sent is gathered for the next time.
    for (const reason of this.#gathered.keys().toArray()) {
      const gathered = this.#gathered.get(reason);
      if (gathered === undefined || this.#writtenAt.length >= maxEvents) return;
      this.#gathered.delete(reason);
      this.#writtenAt = [...this.#writtenAt, now];
      await this.#send(reason, gathered);
    }
  }

  #fail(error: unknown): void {
    if (!this.#isFailing) this.#ports.failed(error instanceof Error ? error : new Error(""));
    this.#isFailing = true;
  }

  async #send(reason: string, gathered: Gathered): Promise<void> {
    const { kube, clock, uniqueId, pod } = this.#ports;
    const namespace = encodeURIComponent(kube.namespace);
    const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
    const body = {
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { name: `${pod.name}.${uniqueId()}`.toLowerCase(), namespace: kube.namespace },
      eventTime: clock.now().toISOString().replace("Z", "000Z"),
      reportingController: "zonewarden",
      reportingInstance: pod.name.slice(0, 128),
      action: reason,
      reason,
      type: gathered.type,
      note: noteOf(gathered),
      regarding: { apiVersion: "v1", kind: "Pod", ...pod, namespace: kube.namespace },
    };
    try {
      const answer = await kube.request({ method: "POST", path, body }, timeoutMs);
      if (answer.status !== 201) throw answerError("Event cannot be written", answer);
      this.#isFailing = false;
    } catch (error) {
      this.#fail(error);
    }
  }
}

function noteOf({ count, notes }: Gathered): string {
  const more = count > notes.length ? `\n… and ${count - notes.length} more` : "";
  const text = count === 1 ? (notes[0] ?? "") : `${count} times: ${notes.join("\n")}`;
  const room = maxNoteLength - more.length;
  return `${text.length > room ? `${text.slice(0, room - 1)}…` : text}${more}`;
}
