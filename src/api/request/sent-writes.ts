import { rayId, type SentWrite } from "../../zone/audit-entry.ts";
import type { Clock } from "../../zone/ports.ts";
import { headerText, type Headers } from "../budget/rate-headers.ts";
import { type Call, isRead, pathOf } from "./call.ts";

/** Writes that are kept; of more, the newest. */
const maxWrites = 10_000;

/** The writes that were sent with a credential, as far as the audit log may still tell of them. */
export class SentWrites {
  readonly #clock: Clock;
  #writes: SentWrite[] = [];
  #completeSince: Date | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Oldest first. */
  get all(): readonly SentWrite[] {
    return this.#writes;
  }

  /** No write since then was dropped; `undefined`: none ever was. */
  get completeSince(): Date | undefined {
    return this.#completeSince;
  }

  /**
   * Notes a call that is about to be sent; what it returns is called at its end, without headers if
   * no answer came.
   */
  begin(call: Call): (headers: Headers | undefined) => void {
    if (isRead(call) || call.query["dry_run"] === "true") return () => undefined;
    const { method } = call;
    const [path = ""] = pathOf("", call).split("?");
    const write: { -readonly [name in keyof SentWrite]: SentWrite[name] } = {
      method,
      path,
      sentAt: this.#clock.now(),
      endedAt: undefined,
      isAnswered: false,
      ray: "",
      entryId: "",
    };
    this.#writes.push(write);
    if (this.#writes.length > 2 * maxWrites) {
      this.#writes = this.#writes.slice(-maxWrites);
      this.#completeSince = this.#writes[0]?.sentAt;
    }
    return (headers) => {
      write.endedAt = this.#clock.now();
      write.isAnswered = headers !== undefined;
      write.ray = rayId(headerText(headers?.["cf-ray"]).trim());
      write.entryId = headerText(headers?.["cf-auditlog-id"]).trim();
    };
  }
}
