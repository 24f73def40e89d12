import type { Message } from "../../src/notify/message.ts";
import type { Notification } from "../../src/notify/notification.ts";
import { Outbox, type Sink } from "../../src/notify/outbox.ts";
import { isJsonObject } from "../../src/syntax/json.ts";
import { SimulatedClock } from "./clock.ts";
import { textIn } from "./emulator.ts";
import { shop } from "./fleets.ts";
import { at } from "./reports.ts";

/** A notice that wants somebody. */
export const notification: Notification = {
  reason: "DriftDetected",
  severity: "error",
  at: at(1),
  zone: shop,
  message: "less protected than declared: ~ managed_rule/owasp paranoia_level 2 → 1",
  revision: "8c9b6cf",
  run: "run-1",
};

/** A receiver that answers as it is told, and what became of the messages. */
export class Receiver {
  readonly clock = new SimulatedClock();
  readonly messages: Message[] = [];
  readonly results: string[] = [];
  readonly reasons: string[] = [];
  /** Statuses of the answers to come; `undefined`: none. After them: 200. */
  answers: (number | undefined)[] = [];

  ports(): ConstructorParameters<typeof Outbox>[1] {
    return {
      post: async (_url, message) => {
        this.messages.push(message);
        await Promise.resolve();
        const answer = this.answers.length > 0 ? this.answers.shift() : 200;
        if (answer === undefined) throw new Error("connect https://hooks.example/secret-path");
        return answer;
      },
      clock: this.clock,
      random: () => 1,
      sender: { instance: "pod-1", page: "" },
      sent: (_sink, result) => this.results.push(result),
      failed: (_sink, { reason }, why) => this.reasons.push(`${reason}: ${why}`),
    };
  }

  outbox(more: Partial<Sink> = {}): Outbox {
    return new Outbox({ ...sink, ...more }, this.ports());
  }

  /** Texts of the messages of Flux's form. */
  takeResults(): readonly string[] {
    return this.messages.map(({ body }) => {
      const event: unknown = JSON.parse(body);
      if (!isJsonObject(event)) throw new Error(body);
      return `${textIn(event, "reason")}: ${textIn(event, "message")}`;
    });
  }
}

/** A sink that wants to hear all. */
export const sink: Sink = {
  name: "security",
  type: "webhook",
  zones: ["*"],
  labels: undefined,
  severity: "info",
  actors: "full",
  url: () => Promise.resolve("https://hooks.example/secret-path"),
  secret: () => Promise.resolve(""),
};
