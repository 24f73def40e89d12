/** What the headers of an answer say about the rate limit (SERVICE.md C.3). No name is empty. */
export interface RateView {
  /** Requests left, and milliseconds until the window resets, by policy name. */
  readonly left: readonly { readonly name: string; readonly left: number; readonly ms: number }[];
  /** Requests allowed per window of `ms` milliseconds, by policy name. */
  readonly policies: readonly {
    readonly name: string;
    readonly limit: number;
    readonly ms: number;
  }[];
}

/** Response headers with lower-case names. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Limit for `Retry-After`. */
export const maxRetryAfterMs = 600_000;

/**
 * Reads `Ratelimit: "default";r=50;t=30` and `Ratelimit-Policy: "default";q=1200;w=300`; ignores
 * invalid items. `undefined` without either header.
 */
export function rateView(headers: Headers): RateView | undefined {
  const { ratelimit, "ratelimit-policy": policy } = headers;
  if (ratelimit === undefined && policy === undefined) return undefined;
  return {
    left: itemsOf(ratelimit).flatMap(({ name, values: { r, t } }) =>
      r === undefined || t === undefined ? [] : [{ name, left: r, ms: t * 1000 }],
    ),
    policies: itemsOf(policy).flatMap(({ name, values: { q, w } }) =>
      q === undefined || w === undefined || q < 1 || w <= 0
        ? []
        : [{ name, limit: q, ms: w * 1000 }],
    ),
  };
}

/**
 * Milliseconds that a `Retry-After` (seconds or a date) asks for, at most ten minutes; `undefined`
 * without one.
 */
export function retryAfter(headers: Headers, now: Date): number | undefined {
  const text = headerText(headers["retry-after"]).trim();
  const ms = /^\d+(\.\d+)?$/.test(text)
    ? Number(text) * 1000
    : new Date(text).getTime() - now.getTime();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), maxRetryAfterMs);
}

/** The value of a header; repeated headers are joined. */
export function headerText(header: string | readonly string[] | undefined): string {
  return typeof header === "string" ? header : (header?.join(", ") ?? "");
}

interface RateItem {
  readonly name: string;
  readonly values: Readonly<Record<"r" | "t" | "q" | "w", number | undefined>>;
}

function itemsOf(header: string | readonly string[] | undefined): RateItem[] {
  return headerText(header)
    .split(",")
    .map((item) => {
      const [name = "", ...parameters] = item.split(";").map((part) => part.trim());
      const value = (key: string): number | undefined => {
        const text = parameters.find((part) => part.startsWith(`${key}=`))?.slice(2);
        return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
      };
      return {
        name: name.replaceAll('"', ""),
        values: { r: value("r"), t: value("t"), q: value("q"), w: value("w") },
      };
    })
    .filter(({ name }) => name !== "");
}
