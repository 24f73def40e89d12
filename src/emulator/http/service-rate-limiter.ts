import type { RateLimit } from "../state.ts";

/** How a credential stands after a request. */
interface Standing {
  readonly allowed: boolean;
  /** Headers in the form of the RFC draft (SERVICE.md C.3). */
  readonly headers: Readonly<Record<string, string>>;
}

interface Window {
  readonly endsAt: number;
  readonly used: number;
  /** Whether the quota was passed: then nothing is answered until the window ends. */
  readonly locked: boolean;
}

/** Counts requests of each credential in windows; who passes the quota is locked out for a time (SERVICE.md C.3). */
export class RateLimiter {
  readonly #windows = new Map<string, Window>();

  /** Counts one request; `limit` is `null` where nothing is limited. */
  take(limit: RateLimit | null, credential: string, now: Date): Standing {
    if (limit === null) return { allowed: true, headers: {} };
    const window = counted(limit, this.#windows.get(credential), now.getTime());
    this.#windows.set(credential, window);

    const seconds = Math.ceil((window.endsAt - now.getTime()) / 1_000);
    const remaining = window.locked ? 0 : limit.requests - window.used;
    return {
      allowed: !window.locked,
      headers: {
        ratelimit: `"default";r=${remaining};t=${seconds}`,
        "ratelimit-policy": `"default";q=${limit.requests};w=${limit.windowMs / 1_000}`,
        ...(window.locked ? { "retry-after": String(seconds) } : {}),
      },
    };
  }

  clear(): void {
    this.#windows.clear();
  }
}

function counted(limit: RateLimit, before: Window | undefined, now: number): Window {
  if (before === undefined || before.endsAt <= now) {
    return { endsAt: now + limit.windowMs, used: 1, locked: limit.requests < 1 };
  }
  if (before.locked || before.used < limit.requests) return { ...before, used: before.used + 1 };
  return { endsAt: now + limit.lockoutMs, used: 0, locked: true };
}
