/** The kinds of items in an inventory (SERVICE.md A.4). */
export const itemKinds = ["script", "connection", "cookie"] as const;

export type ItemKind = (typeof itemKinds)[number];

/** The kinds that a content security policy governs and that can be malicious. */
export const resourceKinds = ["script", "connection"] as const satisfies readonly ItemKind[];

/** States of a script or connection (SERVICE.md A.5). */
export const resourceStatuses = ["active", "infrequent", "inactive"] as const;

/** States of an item; `none` without a state, as for cookies. */
export const itemStatuses = [...resourceStatuses, "none"] as const;

export interface ItemBase {
  readonly id: string;
  /** Host of the zone on whose pages it was seen. */
  readonly host: string;
  /** `undefined`: unknown. */
  readonly firstSeenAt: Date | undefined;
  readonly lastSeenAt: Date | undefined;
  /** "": unknown. */
  readonly firstPageUrl: string;
  /** Often empty: most lists name only the first page. */
  readonly pageUrls: readonly string[];
}

/** What scripts and connections have. */
export interface ResourceBase extends ItemBase {
  readonly url: string;
  readonly addedAt: Date | undefined;
  /** `active`, `infrequent` or `inactive` (SERVICE.md A.5); "" if unknown. */
  readonly status: string;
  readonly urlContainsCdnCgi: boolean;
  readonly urlReportedMalicious: boolean;
  readonly domainReportedMalicious: boolean;
  /** Of URL and domain together, sorted. */
  readonly maliciousCategories: readonly string[];
}

/** Scores of a script's content, 1 (bad) to 99 (good); `undefined` if not classified. */
export interface ScriptScores {
  readonly integrity: number | undefined;
  readonly malware: number | undefined;
  readonly cryptomining: number | undefined;
  readonly magecart: number | undefined;
}

export interface ScriptVersion {
  /** SHA-256 in hexadecimal digits (SERVICE.md A.4); "" if it was not fetched. */
  readonly hash: string;
  readonly scores: ScriptScores;
  readonly fetchedAt: Date | undefined;
}

/** A script that browsers reported. */
export interface Script extends ResourceBase, ScriptVersion {
  readonly kind: "script";
  /** Only for a script that was read by its id. */
  readonly versions: readonly ScriptVersion[];
}

/** A connection that a page's code opened. */
export interface Connection extends ResourceBase {
  readonly kind: "connection";
}

/** A cookie that was seen. */
export interface Cookie extends ItemBase {
  readonly kind: "cookie";
  readonly name: string;
  /** `first_party` or `unknown`. */
  readonly type: string;
  readonly domain: string;
  readonly path: string;
  readonly expiresAt: Date | undefined;
  /** In seconds. */
  readonly maxAge: number | undefined;
  readonly httpOnly: boolean | undefined;
  readonly secure: boolean | undefined;
  /** `lax`, `strict` or `none`; "" if it is not set. */
  readonly sameSite: string;
}

/** An item that a content security policy can allow or block. */
export type SeenResource = Script | Connection;

export type Item = SeenResource | Cookie;

export function isSeenResource(item: Item): item is SeenResource {
  return item.kind !== "cookie";
}

/**
 * Whether a script is still loaded: an inactive one stays on record for a while (SERVICE.md A.5).
 */
export function isInUse({ status }: Script): boolean {
  return status !== "inactive";
}

/** The reasons why an item counts as malicious; empty if it does not. */
export function maliciousReasons(item: Item, below: number): readonly string[] {
  if (item.kind === "cookie") return [];
  const score = item.kind === "script" ? item.scores.integrity : undefined;
  const categories =
    item.maliciousCategories.length === 0 ? "" : ` (${item.maliciousCategories.join(", ")})`;
  return [
    ...(score !== undefined && score < below ? [`integrity score ${score}`] : []),
    ...(item.urlReportedMalicious ? [`URL reported${categories}`] : []),
    ...(item.domainReportedMalicious && !item.urlReportedMalicious
      ? [`domain reported${categories}`]
      : []),
  ];
}
