import { aliasOf, isResponseField } from "../syntax/expression/expression-fields.ts";

/** What zones are subscribed to, which the service calls plans; each includes what those before it do. */
export const tiers = ["free", "pro", "business", "enterprise"] as const;

export type Tier = (typeof tiers)[number];

/** The contracts of enterprise differ: what one includes is not known. */
export type LimitedTier = Exclude<Tier, "enterprise">;

/**
 * Fields of custom rules that need a tier, the longer names first; names stand for those below
 * them. Fields that are an add-on count as enterprise (SERVICE.md B.10).
 */
const tierOfFields: readonly (readonly [field: string, tier: Tier])[] = [
  ["cf.waf.credential_check.username_and_password_leaked", "pro"],
  ["cf.waf.score.class", "business"],
  ["cf.api_gateway.auth_id_present", "enterprise"],
  ["cf.bot_management", "enterprise"],
  ["cf.llm", "enterprise"],
  ["cf.waf", "enterprise"],
  ["http.request.body", "enterprise"],
  ["http.request.cookies", "pro"],
  ["http.request.jwt", "enterprise"],
  ["ip.src.is_in_european_union", "business"],
  ["ip.src.subdivision_1_iso_code", "business"],
  ["ip.src.subdivision_2_iso_code", "business"],
];

/** Whether a tier is documented to include a field of custom rules. */
export function includesField(tier: LimitedTier, field: string): boolean {
  const name = aliasOf(field);
  const least = tierOfFields.find(([each]) => name === each || name.startsWith(`${each}.`))?.[1];
  return tiers.indexOf(least ?? "free") <= tiers.indexOf(tier);
}

/** What a tier is documented to include of rate limits (SERVICE.md B.11). */
export interface RateLimitFacts {
  /** In seconds. */
  readonly maxPeriod: number;
  /** In seconds. */
  readonly maxTimeout: number;
  readonly characteristics: readonly string[];
  readonly hasChallenges: boolean;
  readonly hasCountingExpression: boolean;
  readonly includesField: (field: string) => boolean;
}

const byAddress = ["cf.colo.id", "ip.src"];
const freeFields = ["http.request.uri.path", "cf.client.bot", "cf.bot_management.verified_bot"];
const proFields = [
  ...freeFields,
  "http.host",
  "http.request.uri",
  "http.request.full_uri",
  "http.request.uri.query",
];
const businessFields = [...proFields, "http.request.method", "ip.src", "http.user_agent"];

export const rateLimitFacts: Readonly<Record<LimitedTier, RateLimitFacts>> = {
  free: {
    maxPeriod: 10,
    maxTimeout: 10,
    characteristics: byAddress,
    hasChallenges: false,
    hasCountingExpression: false,
    includesField: (field) => freeFields.includes(field),
  },
  pro: {
    maxPeriod: 60,
    maxTimeout: 3_600,
    characteristics: byAddress,
    hasChallenges: true,
    hasCountingExpression: false,
    includesField: (field) => proFields.includes(field),
  },
  business: {
    maxPeriod: 600,
    maxTimeout: 86_400,
    characteristics: [...byAddress, "cf.unique_visitor_id"],
    hasChallenges: true,
    hasCountingExpression: true,
    includesField: (field) => businessFields.includes(field) || isResponseField(field),
  },
};
