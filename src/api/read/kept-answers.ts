import { isTextDeeperThan, isJsonObject, maxJsonLevels, parseJson } from "../../syntax/json.ts";
import type { Clock } from "../../zone/ports.ts";
import type { Zone } from "../../zone/zone.ts";
import { type Fetched, get, type Get, pathOf } from "../request/call.ts";
import { routes } from "../routes.ts";

/** The first request for each part of a zone. */
const firstRoutes = {
  settings: routes.settings,
  policies: routes.policies,
  rules: routes.zoneRulesets,
} as const;

/** A part of a zone that is read by requests of its own. */
export type ReadPart = keyof typeof firstRoutes;

/** An older answer may say of a zone what is long over. */
const maxAgeMs = 3_600_000;

/** Answers about zones, so that a command requests nothing twice. They can be written down and taken up again within an hour. */
export class KeptAnswers {
  readonly #clock: Clock;
  readonly #note: ((line: string) => void) | undefined;
  readonly #answers = new Map<string, Fetched>();
  /** The paths of the answers without their queries. */
  readonly #asked = new Set<string>();

  /** @param note gets every answer of the service as a line of text, without a line feed, that `restore` understands. */
  constructor(clock: Clock, note?: (line: string) => void) {
    this.#clock = clock;
    this.#note = note;
  }

  /** Whether something of each of these parts of a zone is known already. */
  has(zone: Zone, parts: readonly ReadPart[]): boolean {
    return parts.every((part) =>
      this.#asked.has(pathOf("", get(firstRoutes[part], { zone_id: zone.id }))),
    );
  }

  #keep(path: string, answer: Fetched): void {
    this.#answers.set(path, answer);
    this.#asked.add(path.replace(/\?.*/s, ""));
  }

  /** Takes up an answer that was noted within the last hour. Anything else is ignored. */
  restore(line: string): void {
    if (isTextDeeperThan(maxJsonLevels, new TextEncoder().encode(line))) return;
    const noted = parseJson(line);
    if (!isJsonObject(noted)) return;
    const { path, at, digest, result, info } = noted;
    if (typeof path !== "string" || typeof at !== "string" || typeof digest !== "string") return;
    const ageMs = Number(this.#clock.now()) - Date.parse(at);
    if (!(ageMs >= 0 && ageMs < maxAgeMs)) return;
    this.#keep(path, {
      digest,
      result: () => result ?? null,
      resultInfo: () => (isJsonObject(info) ? info : undefined),
      status: 200,
      ray: "",
      sentAt: this.#clock.monotonicMs() - ageMs,
      attempts: 1,
    });
  }

  /** Sends only what has no answer yet. */
  through(send: Get): Get {
    return async (call, signal) => {
      const path = pathOf("", call);
      const kept = this.#answers.get(path);
      if (kept !== undefined) return kept;
      const at = this.#clock.now().toISOString();
      const answer = await send(call, signal);
      this.#keep(path, answer);
      const { digest, result, resultInfo } = answer;
      this.#note?.(JSON.stringify({ path, at, digest, result: result(), info: resultInfo() }));
      return answer;
    };
  }
}
