import type { FaultEffects } from "../../../src/emulator/control/faults.ts";
import type { Refusal, RequestFault } from "../disturbances.ts";
import type { Effect, Ledger, SentRequest } from "../ledger.ts";
import type { InProcessService, ServiceAnswer } from "./in-process-service.ts";
import { timeoutMs } from "./simulated-process.ts";
import type { SimulatedTime } from "./simulated-time.ts";
import type { Sending } from "./simulated-transport.ts";

const travelMs = 5;
const lateMs = timeoutMs + 5_000;
const slowMs = timeoutMs - 5_000;
const secondDeliveryMs = 3_000;
const lockOutMs = 240_000;
const staleMs = 50_000;

const notJson = '{"result": {"id": ';
function refusalText(refusal: Refusal | undefined): string {
  const errors = [{ code: refusal?.code ?? 0, message: "this rule is refused" }];
  return JSON.stringify({ success: false, errors, messages: [], result: null });
}

const unsuccessful = JSON.stringify({
  success: false,
  errors: [{ code: 1000, message: "a fault of the simulation" }],
  messages: [],
  result: null,
});

/** What becomes of requests between the processes and the service. */
export class Network {
  isTokenRevoked = false;
  /** The rule of which the service takes no write. */
  refusal: Refusal | undefined;
  readonly #time: SimulatedTime;
  readonly #service: InProcessService;
  readonly #ledger: Ledger;
  readonly #took: (effect: Effect) => void;
  #lockedOutUntil = 0;

  /** @param took is called with each effect of a request, before the ledger has it. */
  constructor(
    time: SimulatedTime,
    service: InProcessService,
    ledger: Ledger,
    took: (effect: Effect) => void,
  ) {
    this.#time = time;
    this.#service = service;
    this.#ledger = ledger;
    this.#took = took;
  }

  /** All faults are over. */
  heal(): void {
    this.isTokenRevoked = false;
    this.refusal = undefined;
    this.#lockedOutUntil = 0;
  }

  /**
   * Carries a request to the service and its answer back.
   *
   * @param crash kills the sender.
   */
  carry(
    request: SentRequest,
    sending: Sending,
    fault: RequestFault | undefined,
    crash: () => void,
  ): void {
    if (fault === "locked_out") this.#lockedOutUntil = this.#time.elapsed + lockOutMs;
    const locked = this.#lockedOutUntil - this.#time.elapsed;
    if (locked > 0) {
      this.#refuse(request, sending, 429, String(Math.ceil(locked / 1_000)));
      return;
    }
    if (this.isTokenRevoked) {
      this.#arrive(request, sending, travelMs, { revoked: true }, (answer) =>
        this.#reply(request, sending, answer),
      );
      return;
    }
    if (this.#isRefused(request)) {
      this.#time.after(travelMs, this, () =>
        this.#reply(request, sending, {
          ...noAnswer,
          status: 400,
          text: refusalText(this.refusal),
        }),
      );
      return;
    }
    if (fault === undefined) this.#exchange(request, sending, {});
    else this.#disturb(request, sending, fault, crash);
  }

  #disturb(request: SentRequest, sending: Sending, fault: RequestFault, crash: () => void): void {
    const after = (ms: number, act: () => void): void => void this.#time.after(ms, this, act);
    const lose = (part?: string): void => this.#fail(request, sending, "UND_ERR_SOCKET", part);
    const arrive = (then: (answer: ServiceAnswer) => void, ms = travelMs): void =>
      this.#arrive(request, sending, ms, {}, then);
    const reply = (answer: ServiceAnswer): void => this.#reply(request, sending, answer);
    const refuse = (status: number, retryAfter?: string): void =>
      this.#refuse(request, sending, status, retryAfter);
    const garble = (answer: ServiceAnswer, status: number, text: string): void =>
      this.#garble(request, sending, answer, status, text);
    const faults: Readonly<Record<RequestFault, () => void>> = {
      crash_before_send: crash,
      crash_after_effect: () => arrive(crash),
      lost_request: () => after(travelMs, () => lose()),
      lost_answer: () => arrive(() => lose()),
      late_answer: () => arrive((answer) => after(lateMs, () => reply(answer))),
      late_request: () => arrive(reply, lateMs),
      slow: () => arrive((answer) => after(slowMs, () => reply(answer))),
      cut: () => arrive(({ text }) => lose(text.slice(0, text.length / 2))),
      malformed: () => arrive((answer) => garble(answer, 200, notJson)),
      refused_before: () => after(travelMs, () => garble(noAnswer, 200, unsuccessful)),
      refused_after: () => arrive((answer) => garble(answer, 200, unsuccessful)),
      duplicate: () => {
        arrive(reply);
        arrive(() => undefined, secondDeliveryMs);
      },
      rate_limited: () => refuse(429),
      retry_after: () => refuse(429, "80"),
      locked_out: () => refuse(429),
      server_error_before: () => refuse(503),
      server_error_after: () => arrive((answer) => garble(answer, 502, "<html>Bad gateway</html>")),
      conflict: () => refuse(409),
      bad_request: () => refuse(400),
      forbidden: () => refuse(403),
      stale: () => this.#exchange(request, sending, request.method === "GET" ? { staleMs } : {}),
      unreachable: () => after(travelMs, () => this.#fail(request, sending, "ECONNREFUSED")),
    };
    faults[fault]();
  }

  #isRefused({ method, body }: SentRequest): boolean {
    return (
      method !== "GET" &&
      this.refusal !== undefined &&
      body.includes(`"zonewarden:${this.refusal.key}"`)
    );
  }

  #refuse(request: SentRequest, sending: Sending, status: number, retryAfter?: string): void {
    this.#arrive(request, sending, travelMs, { status }, (answer) => {
      const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
      this.#reply(request, sending, { ...answer, headers: { ...answer.headers, ...headers } });
    });
  }

  #exchange(request: SentRequest, sending: Sending, faults: FaultEffects): void {
    this.#arrive(request, sending, travelMs, faults, (answer) =>
      this.#reply(request, sending, answer),
    );
  }

  /** The request reaches the service after a time. */
  #arrive(
    request: SentRequest,
    sending: Sending,
    ms: number,
    faults: FaultEffects,
    then: (answer: ServiceAnswer) => void,
  ): void {
    this.#time.after(ms, this, () => {
      const answer = this.#service.handle(sending, faults);
      const { stored } = answer;
      const at = this.#time.elapsed;
      request.staleMs = faults.staleMs ?? 0;
      if (request.zone !== undefined && request.staleMs > 0) {
        this.#ledger.interferences.push({ at, zone: request.zone, kind: "stale" });
      }
      if (stored !== undefined) {
        const effect = { request, at, ...stored, isLate: ms > travelMs };
        this.#took(effect);
        this.#ledger.took(effect);
      }
      then(answer);
    });
  }

  #reply(request: SentRequest, sending: Sending, answer: ServiceAnswer): void {
    this.#time.after(travelMs, this, () => {
      if (sending.isAborted()) {
        request.answer = "uncertain";
        return;
      }
      request.answer = answerOf(request, answer.status);
      sending.answer(answer.status, answer.headers, answer.text);
    });
  }

  #garble(
    request: SentRequest,
    sending: Sending,
    { headers }: ServiceAnswer,
    status: number,
    text: string,
  ): void {
    request.answer = "uncertain";
    this.#time.after(travelMs, this, () => {
      if (!sending.isAborted()) sending.answer(status, headers, text);
    });
  }

  #fail(request: SentRequest, sending: Sending, code: string, part?: string): void {
    request.answer = code === "ECONNREFUSED" ? "refused" : "uncertain";
    if (!sending.isAborted()) sending.fail(code, part);
  }
}

const noAnswer: ServiceAnswer = { status: 200, headers: {}, text: "", stored: undefined };

/** An entry point that does not exist is an answer too. */
function answerOf(request: SentRequest, status: number): SentRequest["answer"] {
  const isAbsent =
    status === 404 && request.method === "GET" && request.path.endsWith("/entrypoint");
  if (status < 300 || isAbsent) return "ok";
  return status >= 500 || status === 408 ? "uncertain" : "refused";
}
