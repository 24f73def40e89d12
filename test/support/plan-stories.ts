import { guard } from "../../src/plan/guard/guard.ts";
import { plan } from "../../src/plan/plan.ts";
import type { RunReport, ZoneReport } from "../../src/state/run-report.ts";
import { canonicalCsp } from "../../src/syntax/csp/csp.ts";
import type { DesiredZone } from "../../src/zone/desired-zone.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import { managedRulesets } from "../../src/zone/managed-ruleset.ts";
import {
  absent,
  carriedOut,
  category,
  declared,
  deployment,
  desiredZone,
  entrypoint,
  exception,
  liveDeployment,
  liveException,
  livePolicy,
  liveRule,
  liveZone,
  noOverrides,
  owner,
  policy,
  untuned,
  usualLimits,
  zoneNamed,
} from "./model.ts";
import { withCause } from "./reports.ts";

/** When the run of these stories begins. */
const begun: Date = new Date("2026-11-21T10:00:00.000Z");

const settings = {
  enabled: false,
  use_cloudflare_reporting_endpoint: true,
  use_connection_url_path: false,
};

const longValue = canonicalCsp(
  "default-src 'self'; script-src 'self' cdn.example.com https://js.payments.example tags.example.net 'unsafe-inline'; " +
    "style-src 'self' fonts.example.com; img-src 'self' data: images.example.com; frame-ancestors 'none'",
);

const checkout = policy("checkout", {
  description: "Scripts of the checkout",
  action: "allow",
  value: longValue,
});

function zoned(name: string, desired: DesiredZone, live: LiveZone): [DesiredZone, LiveZone] {
  const zone = zoneNamed(name);
  return [
    { ...desired, zone },
    { ...live, zone },
  ];
}

/** A zone in which about everything differs that can. */
const busy = zoned(
  "shop.example.com",
  desiredZone({
    settings: [
      { name: "enabled", value: true },
      { name: "use_connection_url_path", value: false },
    ],
    policies: declared([
      checkout,
      policy("blog", { description: "The blog", was: "news", enabled: false }),
      policy("images", {
        description: "Images everywhere",
        expression: "true",
        value: canonicalCsp("img-src 'self' images.example.com"),
      }),
    ]),
    rules: {
      managed_rules: declared([
        exception("uploads", { description: "Uploads are scanned elsewhere" }),
        deployment("owasp", {
          description: "OWASP core ruleset",
          tuning: { paranoiaLevel: 2, scoreThreshold: 40, action: "managed_challenge" },
          overrides: {
            ...noOverrides,
            categories: [category("language-php", { enabled: false })],
          },
        }),
      ]),
    },
  }),
  liveZone({
    settings,
    policies: [
      carriedOut("9e1f", checkout, {
        action: "log",
        value: canonicalCsp(
          longValue.replace("cdn.example.com", "*.old-cdn.example tracker.example"),
        ),
      }),
      carriedOut("77aa", policy("news", { description: "The news" })),
      carriedOut("51c0", policy("legacy", { description: "Old landing pages", action: "allow" })),
      livePolicy("d00d", { description: "Set in the dashboard, for the sale" }),
      livePolicy("d00e", { description: "Theirs [team-b:ads]" }),
    ],
    entrypoints: {
      managed_rules: entrypoint(
        liveRule("f001", { action: "log", description: "Watch a botnet" }),
        liveDeployment(
          "aa01",
          { ref: "aa01", description: "OWASP core ruleset" },
          {
            categories: [
              { category: "paranoia-level-2", enabled: false },
              { category: "paranoia-level-3", enabled: false },
              { category: "paranoia-level-4", enabled: false },
            ],
            rules: [{ id: "6179ae15870a4bb7b2d480d4843b323c", score_threshold: 60, action: "log" }],
          },
        ),
      ),
    },
  }),
);

const created = zoned(
  "new.example.com",
  desiredZone({
    policies: declared([checkout]),
    rules: {
      managed_rules: declared([
        exception("uploads"),
        deployment("owasp", { tuning: { ...untuned, paranoiaLevel: 1 } }),
        deployment("managed", { ruleset: managedRulesets.cloudflare }),
      ]),
    },
  }),
  liveZone({
    policies: [],
    entrypoints: { managed_rules: absent },
    scoreRule: undefined,
  }),
);

const emptied = zoned(
  "brand.example.com",
  desiredZone({ policies: declared([policy("a")]) }),
  liveZone({
    policies: ["a", "b", "c", "d"].map((key) => carriedOut(`p-${key}`, policy(key))),
  }),
);

const hostile = zoned(
  "hostile.example.com",
  desiredZone({
    policies: declared([], "delete"),
    rules: { managed_rules: declared([exception("x")]) },
  }),
  liveZone({
    policies: [
      livePolicy("h1", {
        description:
          "\u001B[31mred\u001B[0m | `code` <img src=x onerror=alert(1)> @everyone\n# not a heading",
        action: "x|y",
      }),
      livePolicy("h2", { description: "Theirs ](javascript:alert(1)) [team-b:\u202Eads]" }),
    ],
    entrypoints: {
      managed_rules: entrypoint(
        liveException("s1", "y", { description: "</details><script>alert(2)</script>" }),
      ),
    },
  }),
);

const equal = zoned(
  "calm.example.com",
  desiredZone({ settings: [{ name: "enabled", value: false }] }),
  liveZone({ settings }),
);

const watched = zoned(
  "watched.example.com",
  desiredZone({ settings: [{ name: "enabled", value: false }], policies: declared([]) }),
  liveZone({
    settings,
    policies: Array.from({ length: 7 }, (_, n) =>
      livePolicy(`u${n}`, { description: `Hand-made ${n}` }),
    ),
  }),
);

/** A report for one story, judged as a run would. */
function judged([desired, live]: readonly [DesiredZone, LiveZone]): ZoneReport {
  const proposal = plan(desired, live, owner);
  const holds = guard(proposal, {
    limits: usualLimits,
    mode: "enforce",
    suspension: undefined,
    freeze: undefined,
    used: [],
    now: begun,
  });
  const base = baseOf(desired);
  if (proposal.changes.length === 0) return { ...base, result: "in_sync", plan: proposal };
  // What carries our mark was applied before, as it is declared.
  const cause = JSON.stringify(live).includes(`${owner}:`) ? "drift" : "pending";
  const explained = { ...proposal, changes: withCause(cause, proposal.changes) };
  return holds.length > 0
    ? { ...base, result: "held", plan: explained, holds }
    : { ...base, result: "planned", plan: explained };
}

function baseOf({
  zone,
}: DesiredZone): Omit<ZoneReport & { result: "error" }, "result" | "failure"> {
  return {
    zone: zone.name,
    run: "run-1",
    trigger: "manual",
    revision: "3f2c1d9",
    startedAt: begun,
    finishedAt: new Date(begun.getTime() + 1200),
    phases: { fetch: 1000, plan: 200, apply: 0 },
  };
}

function unreadable(name: string): ZoneReport {
  const [desired] = zoned(name, desiredZone(), liveZone());
  return {
    ...baseOf(desired),
    result: "error",
    failure: {
      code: "API_FORBIDDEN",
      message:
        "GET /zones/…/page_shield: 403, the token may not read Page Shield; give it Zone, Page Shield, Read",
      transient: false,
      ray: "8f2a1c",
      retryAfterMs: 0,
    },
  };
}

/** A plan that was carried out up to a failure. */
function halfApplied(): ZoneReport {
  const report = judged(busy);
  if (report.result !== "planned") throw new Error("the busy zone is not ready");
  return {
    ...report,
    result: "applied",
    outcomes: report.plan.writes.map((write, index) => {
      if (index < 2) return { status: "done", write, ray: `ray-${index}`, interleaved: false };
      if (index > 2) return { status: "skipped", write, reason: "earlier_failure" };
      return {
        status: "failed",
        write,
        failure: {
          code: "API_REFUSED",
          message: "PUT /zones/…/policies/77aa: 400, unknown directive",
          transient: false,
          ray: "8f2b",
          retryAfterMs: 0,
        },
      };
    }),
    left: report.plan.changes.slice(2),
  };
}

/** What `plan` finds in zones that need everything, in one that is held, and in one that cannot be read. */
export const planned: readonly ZoneReport[] = [
  judged(equal),
  judged(busy),
  judged(created),
  judged(emptied),
  judged(hostile),
  judged(watched),
  unreadable("locked.example.com"),
];

/** What `apply` leaves behind where a request fails half-way. */
export const applied: readonly ZoneReport[] = [judged(equal), halfApplied()];

/** Reports as a run. */
export function runOf(zones: readonly ZoneReport[]): RunReport {
  return {
    trigger: "manual",
    revision: "3f2c1d9",
    startedAt: begun,
    finishedAt: new Date(begun.getTime() + 2500),
    zones,
  };
}
