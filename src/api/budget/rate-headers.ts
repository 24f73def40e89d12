/** What the service says about its own limit; `undefined` where it says nothing (SERVICE.md C.3). */
export interface RateView {
  /** Requests left and milliseconds until they are renewed, by name of the policy. */
  readonly left: readonly { readonly name: string; readonly left: number; readonly ms: number }[];
  /** Requests allowed in any window of so many milliseconds, by name. */
  readonly policies: readonly {
    readonly name: string;
    readonly limit: number;
    readonly ms: number;
  }[];
}

/** Header fields as they come: lower-case names. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Longest time that a `Retry-After` is believed. */
export const longestRetryAfterMs = 600_000;

/** Reads `Ratelimit: "default";r=50;t=30` and `Ratelimit-Policy: "default";q=1200;w=300`; what is neither is passed over. */
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

/** Milliseconds that a `Retry-After` (seconds or a date) asks for, at most ten minutes; `undefined` where it says nothing. */
export function retryAfter(headers: Headers, now: Date): number | undefined {
  const text = one(headers["retry-after"]).trim();
  if (text === "") return undefined;
  const ms = /^\d+(\.\d+)?$/.test(text)
    ? Number(text) * 1000
    : new Date(text).getTime() - now.getTime();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestRetryAfterMs);
}

/** The one text of a header that may have come several times. */
export function one(header: string | readonly string[] | undefined): string {
  return typeof header === "string" ? header : (header?.join(", ") ?? "");
}

interface RateItem {
  readonly name: string;
  readonly values: Readonly<Record<"r" | "t" | "q" | "w", number | undefined>>;
}

function itemsOf(header: string | readonly string[] | undefined): RateItem[] {
  if (header === undefined) return [];
  return one(header)
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
    });
}
