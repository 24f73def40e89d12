import type { RequestLimit } from "../state.ts";

interface Window {
  readonly endsAt: number;
  readonly used: number;
  /** The limit was exceeded: every request gets a 429 until the window ends. */
  readonly exceeded: boolean;
}

/** Whether a request is within the rate limit, and the headers of its response. */
interface QuotaState {
  readonly allowed: boolean;
  /** Headers in the form of the RFC draft (SERVICE.md C.3). */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Counts the requests of each credential in windows, as the service's rate limit does
 * (SERVICE.md C.3).
 */
export class RequestQuota {
  readonly #windows = new Map<string, Window>();

  /** Counts one request; a `limit` of `null` allows all. */
  take(limit: RequestLimit | null, credential: string, now: Date): QuotaState {
    if (limit === null) return { allowed: true, headers: {} };
    const window = nextWindow(limit, this.#windows.get(credential), now.getTime());
    this.#windows.set(credential, window);

    const seconds = Math.ceil((window.endsAt - now.getTime()) / 1_000);
    const remaining = window.exceeded ? 0 : limit.requests - window.used;
    return {
      allowed: !window.exceeded,
      headers: {
        ratelimit: `"default";r=${remaining};t=${seconds}`,
        "ratelimit-policy": `"default";q=${limit.requests};w=${limit.windowMs / 1_000}`,
        ...(window.exceeded ? { "retry-after": String(seconds) } : {}),
      },
    };
  }

  clear(): void {
    this.#windows.clear();
  }
}

function nextWindow(limit: RequestLimit, before: Window | undefined, now: number): Window {
  if (before === undefined || before.endsAt <= now) {
    return { endsAt: now + limit.windowMs, used: 1, exceeded: limit.requests < 1 };
  }
  if (before.exceeded || before.used < limit.requests) return { ...before, used: before.used + 1 };
  return { endsAt: now + limit.lockoutMs, used: 0, exceeded: true };
}
