import type { RecentHistory } from "../../src/history/recent-history.ts";
import type { Fleet } from "../../src/state/fleet.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import type { DeclaredZone } from "../../src/state/zone-state.ts";
import { fleetOf, shop } from "../support/fleets.ts";
import { script } from "../support/inventory.ts";
import { at, change, declared, done, failure, hold, load, report } from "../support/reports.ts";
import { historyOf } from "../support/scenes.ts";
import { check, declaredScripts, firstDay, readingOf } from "../support/watched.ts";

/** A fleet as it might look after a week, and its history. */
export interface Showcase {
  readonly fleet: Fleet;
  readonly history: RecentHistory;
  readonly now: Date;
}

const day = 24 * 60;
const week = 7 * day;

const brands = ["atlas", "birch", "cedar", "delta", "ember", "fjord", "grove", "harbor", "iris"];
const names = brands.flatMap((brand) => [`${brand}.example`, `shop.${brand}.example`]);

const checkout = change("policy/checkout", "strengthens", {
  title: "Scripts of the checkout",
  mayBreak: true,
  reasons: [
    "log → allow: what it does not allow is blocked again",
    "evil.example is no longer a source",
  ],
  fields: [
    { field: "action", before: "log", after: "allow" },
    {
      field: "value",
      before: "script-src 'self' cdn.example.net pay.example.net evil.example",
      after: "script-src 'self' cdn.example.net pay.example.net",
    },
  ],
});

const owasp = change("managed_rule/owasp", "strengthens", {
  title: "OWASP core rules",
  mayBreak: true,
  reasons: ["paranoia level 1 → 2"],
  fields: [
    { field: "paranoia_level", before: 1, after: 2 },
    { field: "score_threshold", before: 60, after: 40 },
  ],
});

const reporting = change("setting/use_connection_url_path", "neutral");

/** A week of the shop: drift at night that lasted, drift that was undone at once, an outage, and drift now. */
function shopReports(): readonly ZoneReport[] {
  const clear = { result: "in_sync" } as const;
  const pending = { result: "applied", cause: "pending", changes: [owasp] } as const;
  const undone = {
    result: "applied",
    cause: "drift",
    changes: [owasp],
    outcomes: [done("managed_rule/owasp")],
  } as const;
  const observed = { result: "planned", cause: "drift", changes: [owasp] } as const;
  const before = (minutes: number): ZoneReport => report(shop, minutes - 15, clear);
  return [
    report(shop, 20, pending),
    before(1_900),
    report(shop, 1_900, observed),
    report(shop, 2_600, undone),
    before(4_600),
    report(shop, 4_600, undone),
    report(shop, 5_900, { result: "error", failure: failure("GET page_shield: 503") }),
    report(shop, 6_260, clear),
    before(8_060),
    report(shop, 8_060, undone),
    before(week - 190),
    report(shop, week - 190, {
      result: "held",
      cause: "drift",
      changes: [checkout, owasp],
      holds: [
        hold(
          "contended",
          "policy/checkout action was corrected 3 times within 60 min, and changed back each time: find the other writer",
        ),
      ],
      unmanaged: [{ kind: "policy", id: "c9ef84", title: "Made by hand for the spring sale" }],
    }),
  ];
}

function othersReports(): readonly ZoneReport[] {
  const late = week - 12;
  const clear = names.map((name, index) => report(name, late - (index % 7), { result: "in_sync" }));
  return [
    ...clear,
    report("ember.example", late, { result: "planned", cause: "drift", changes: [reporting] }),
    report("shop.fjord.example", late, {
      result: "error",
      failure: failure("GET page_shield/policies: 403: the token may not read this zone", {
        transient: false,
      }),
    }),
    report("iris.example", late, {
      result: "planned",
      cause: "pending",
      changes: [checkout, owasp],
    }),
    report("grove.example", late, {
      result: "held",
      cause: "drift",
      changes: [reporting],
      holds: [hold("suspend", "suspended: CHG-4411: move to another account")],
    }),
  ];
}

/** The fleet as pages are to show it. */
export function showcase(): Showcase {
  const suspension = { reason: "CHG-4411: move to another account", until: undefined };
  const zones: readonly DeclaredZone[] = [
    declared(shop, { labels: { team: "payments", tier: "gold" } }),
    ...names.map((name) =>
      declared(name, {
        labels: name.startsWith("shop.") ? { team: "payments" } : {},
        ...(name === "grove.example" ? { suspension } : {}),
      }),
    ),
  ];
  const fleet = fleetOf(...zones);
  fleet.recordLoad(load({ zones: zones.length, at: at(week - 30) }));
  const history = historyOf(fleet, [...othersReports(), ...shopReports()]);
  return { fleet, history, now: at(week) };
}

/** The showcase with findings on the scripts of two zones. */
export function watchedShowcase(): Showcase {
  const shown = showcase();
  const pay = script("https://pay.example.net/v3/pay.js");
  const stats = script("https://stats.example.org/m.js");
  for (const [zone, scripts] of [
    [shop, [pay, { ...stats, urlReportedMalicious: true }]],
    ["iris.example", [pay]],
  ] as const) {
    const { watch } = check(declaredScripts([]), readingOf(scripts), firstDay);
    shown.fleet.recordScripts(zone, watch);
  }
  return shown;
}
