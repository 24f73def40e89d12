import type { Host } from "../../host/host.ts";
import type { RequestFact, RequestObserver, RetryFact } from "../../zone/service-request.ts";
import { WaitLines } from "../output/wait-lines.ts";

/** Reports waits as other commands do, and notes the time of the service. */
export class CheckObserver implements RequestObserver {
  readonly #clock: Host["clock"];
  readonly #waits: WaitLines;
  #leastSkewMs: number | undefined;

  constructor(host: Pick<Host, "stderr" | "clock">) {
    this.#clock = host.clock;
    this.#waits = new WaitLines(host);
  }

  /** How far the clock of the service is ahead of ours, by the answer that shows the least; `undefined` without one. */
  get leastSkewMs(): number | undefined {
    return this.#leastSkewMs;
  }

  request({ date }: RequestFact): void {
    this.#waits.request();
    const skew = Date.parse(date) - Number(this.#clock.now());
    const least = this.#leastSkewMs ?? Infinity;
    if (Math.abs(skew) < Math.abs(least)) this.#leastSkewMs = skew;
  }

  retry(fact: RetryFact): void {
    this.#waits.retry(fact);
  }

  watch(credentials: Parameters<WaitLines["watch"]>[0]): Disposable {
    return this.#waits.watch(credentials);
  }
}
