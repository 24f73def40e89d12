import { isResponseField } from "../../syntax/expression/expression-fields.ts";

/**
 * What a plan includes of rate limits (SERVICE.md B.11). The program does not share its
 * facts (`zone/tier.ts`) with the service that it is tested against; a test compares both.
 */
export interface RateLimitPlan {
  readonly rules: number;
  /** Seconds, ascending. */
  readonly periods: readonly number[];
  /** Seconds, ascending, without the 0 of throttling. */
  readonly timeouts: readonly number[];
  /** `undefined`: all. */
  readonly characteristics: readonly string[] | undefined;
  /** Whether it includes challenges and `log`. */
  readonly allActions: boolean;
  readonly countingExpression: boolean;
  /** Whether `block` may act on the excess alone, and challenges for longer. */
  readonly throttling: boolean;
  /** Whether expressions may have a field. */
  readonly includesField: (field: string) => boolean;
}

const seconds = [
  10, 15, 20, 30, 40, 45, 60, 90, 120, 180, 240, 300, 480, 600, 900, 1_200, 1_800, 2_400, 3_600,
  65_535, 86_400,
];

function upTo(max: number): readonly number[] {
  return seconds.filter((each) => each <= max);
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

const enterprise: RateLimitPlan = {
  rules: 5,
  periods: upTo(65_535),
  timeouts: upTo(86_400),
  characteristics: [...byAddress, "cf.unique_visitor_id"],
  allActions: true,
  countingExpression: true,
  throttling: true,
  includesField: (field) => !field.startsWith("http.request.body."),
};

/** By plan; enterprise also with the add-on Advanced Rate Limiting. */
export const rateLimitPlans: Readonly<
  Record<"free" | "pro" | "business" | "enterprise" | "advanced", RateLimitPlan>
> = {
  free: {
    rules: 1,
    periods: [10],
    timeouts: [10],
    characteristics: byAddress,
    allActions: false,
    countingExpression: false,
    throttling: false,
    includesField: (field) => freeFields.includes(field),
  },
  pro: {
    rules: 2,
    periods: upTo(60),
    timeouts: upTo(3_600),
    characteristics: byAddress,
    allActions: true,
    countingExpression: false,
    throttling: false,
    includesField: (field) => proFields.includes(field),
  },
  business: {
    rules: 5,
    periods: upTo(600),
    timeouts: upTo(86_400),
    characteristics: [...byAddress, "cf.unique_visitor_id"],
    allActions: true,
    countingExpression: true,
    throttling: false,
    includesField: (field) => businessFields.includes(field) || isResponseField(field),
  },
  enterprise,
  advanced: { ...enterprise, rules: 100, characteristics: undefined, includesField: () => true },
};
