import { describe, it } from "vitest";

import { textOfHtml } from "../../src/render/html.ts";
import { zoneJson } from "../../src/web/json-view.ts";
import { renderDiagnosticsPage } from "../../src/web/pages/page-diagnostics.ts";
import { renderFleetPage } from "../../src/web/pages/page-fleet.ts";
import { renderZonePage } from "../../src/web/pages/page-zone.ts";
import { selectionFrom } from "../../src/web/pages/selection.ts";
import { internalError } from "../../src/zone/internal-error.ts";
import { a, drifted, fleetOf, held, shop, stateAfter } from "../support/fleets.ts";
import { fleetPage, snapshotOf, wordsOf, zonePage } from "../support/pages.ts";
import {
  at,
  auditOf,
  author,
  change,
  daemon,
  declared,
  diagnostic,
  failed,
  failure,
  fleetRefusal,
  heldLoad,
  hold,
  load,
  loadInWaves,
  named,
  planOf,
  report,
  tokenUse,
  withCause,
} from "../support/reports.ts";
import { scene } from "../support/scenes.ts";

/** Names of assets carry their hash, which is no words. */
function withoutHashes(page: string): string {
  return page.replaceAll(/(\/assets\/\w+)-[\w-]{12}\./g, "$1.");
}

describe("the fleet's page", () => {
  it("shows how the fleet stands", async ({ expect }) => {
    await expect(withoutHashes(fleetPage(scene()))).toMatchFileSnapshot(
      "../golden/page-fleet.html",
    );
  });

  it("keeps text and status of a search in all its links", ({ expect }) => {
    const page = fleetPage(scene(), { q: "example.com", status: "held" });
    expect(page).toContain('href="/?q=example.com&amp;status=drifted"');
    expect(page).toContain('<input type="hidden" name="status" value="held" />');
    // The field of the search has it.
    expect(page).not.toContain('type="hidden" name="q"');
    expect(page.match(/<th scope="row">/g)).toHaveLength(1);
    expect(wordsOf(fleetPage(scene(), { status: "differs" }))).toContain("0 differs");
    expect(wordsOf(fleetPage(scene(), { q: "shop.ex" }))).toContain("1 found 0 in sync");
    expect(wordsOf(fleetPage(scene(), { inventory: "malicious" }))).toContain("1 found 0 in sync");
    expect(wordsOf(fleetPage(fleetOf(declared(shop))))).toContain("1 zone 0 in sync");
  });

  it("shows the labels of zones as links to the zones that have them", ({ expect }) => {
    const fleet = fleetOf(
      declared("a.example", { labels: { tier: "gold", team: "payments" } }),
      declared("b.example", { labels: { team: "payments" } }),
      declared("c.example"),
    );
    const page = fleetPage(fleet, { q: "example", page: "1" });
    const link = 'class="label" href="/?q=example&amp;selector=team%3Dpayments"';
    expect(page.split(link)).toHaveLength(3);
    expect(page).toContain('<label class="hidden" for="selector">Labels</label>');
    expect(wordsOf(page)).toContain("All labels team=payments tier=gold");
    const narrowed = fleetPage(fleet, { selector: "team=payments,tier!=gold" });
    expect(wordsOf(narrowed)).toContain("Zones: team=payments,tier!=gold");
    expect(narrowed).toContain('<option value="" >All labels</option>');
    expect(narrowed).toContain('<option value="team=payments,tier!=gold" selected>');
    expect(narrowed.match(/<th scope="row">/g)).toHaveLength(1);
    expect(fleetPage(fleetOf())).not.toContain("All labels");
  });

  it("offers a hundred labels, and the one that it is asked for", ({ expect }) => {
    const many = Array.from({ length: 130 }, (_, n) =>
      declared(`z${n}.example`, { labels: { nth: `n${100 + n}` } }),
    );
    const page = fleetPage(fleetOf(...many), { selector: "nth=n229" });
    expect(page.match(/<option value="nth=/g)).toHaveLength(101);
    expect(page.match(/<th scope="row">/g)).toHaveLength(1);
  });

  it("shows the statuses that matter most, also where no zone has them", ({ expect }) => {
    const fleet = fleetOf(declared(shop), declared("blog.example.com"));
    expect(wordsOf(fleetPage(fleet))).toContain(
      "Fleet Diagnostics enforce no active revision v0.1.0 Fleet 2 zones 0 in sync 0 drifted 0 pending 0 held 0 error 2 unknown Zones",
    );
    expect(fleetPage(fleetOf())).toContain('aria-label="1 unknown"');
    expect(wordsOf(fleetPage(fleetOf()))).toContain(
      "Latest changes No changes since the start. Schedule",
    );
  });

  it("explains empty lists", ({ expect }) => {
    expect(wordsOf(fleetPage(scene(), { q: "nowhere" }))).toContain("No zone matches. Show all 5");
    const empty = fleetOf();
    empty.declare([], at(1));
    expect(wordsOf(fleetPage(empty))).toContain("No zones are declared yet.");
    expect(fleetPage(empty)).not.toContain("<svg");
  });

  it("names the zones that were removed within a day", ({ expect }) => {
    const fleet = scene();
    expect(wordsOf(fleetPage(fleet))).not.toContain("No longer managed");
    fleet.declare([declared(shop)], at(20));
    expect(fleetPage(fleet)).toContain('id="removed-title"');
    expect(wordsOf(fleetPage(fleet))).toMatch(
      /No longer managed Left as they were\. blog\.example\.com .* old\.example\.com/,
    );
    const many = fleetOf(...Array.from({ length: 13 }, (_, nth) => declared(`z${nth}.example`)));
    many.declare([], at(20));
    expect(wordsOf(fleetPage(many))).toContain("10 min ago and 1 more Schedule");
  });

  it("names five zones with weakened protection, and counts the others", ({ expect }) => {
    const names = Array.from({ length: 6 }, (_, nth) => `z${nth}.example`);
    const fleet = fleetOf(...names.map((name) => declared(name)));
    for (const name of names.slice(1)) fleet.recordZone(report(name, 1, drifted));
    expect(wordsOf(fleetPage(fleet))).toContain(
      "5 zones with weakened protection: z1.example z2.example z3.example z4.example z5.example 6 zones",
    );
    fleet.recordZone(report("z0.example", 2, drifted));
    expect(wordsOf(fleetPage(fleet))).toContain(
      "6 zones with weakened protection: z0.example z1.example z2.example z3.example z4.example and 1 more 6 zones",
    );
  });

  it("says of applied changes what they came after, and whether the protection was lower", ({
    expect,
  }) => {
    const fleet = fleetOf();
    const [lower, other] = [change("policy/a"), change("policy/b", "neutral")];
    const runs = [
      { cause: "drift", changes: [lower] },
      { cause: "drift", changes: [other] },
      { cause: "pending", changes: [lower, other] },
    ] as const;
    for (const [minute, run] of runs.entries()) {
      fleet.recordZone(report(shop, minute, { result: "applied", ...run }));
    }
    expect(wordsOf(fleetPage(fleet))).toContain(
      "Latest changes shop.example.com 28 min ago 2 changes after a new declaration, schedule shop.example.com 29 min ago 1 change after drift, schedule shop.example.com 30 min ago 1 change after drift, schedule somebody lowered the protection Schedule",
    );
  });

  it("lists the latest twelve changes", ({ expect }) => {
    const fleet = fleetOf();
    for (let minute = 1; minute <= 13; minute += 1) {
      fleet.recordZone(report(shop, minute, { result: "applied", cause: "drift", changes: [a] }));
    }
    expect(fleetPage(fleet).match(/after drift, schedule/g)).toHaveLength(12);
    expect(zonePage(fleet).match(/id="run-\w+-?\d*" open>/g)).toEqual(['id="run-run-13" open>']);
  });

  it("names in its heading what the zones are narrowed by", ({ expect }) => {
    const page = fleetPage(scene(), {
      status: "held",
      inventory: "malicious",
      account: "Example Shops",
      author: "bob in the dashboard",
      selector: "team=payments",
    });
    expect(wordsOf(page)).toContain(
      "Zones: held, with malicious items, Example Shops, changed by bob in the dashboard, team=payments",
    );
  });

  it("shows each status in the bar, however few zones have it", ({ expect }) => {
    const names = Array.from({ length: 3_000 }, (_, nth) => `z${nth}.example`);
    const fleet = fleetOf(...names.map((name) => declared(name)));
    fleet.recordZone(report("z7.example", 1, { result: "error" }));
    const parts = fleetPage(fleet).matchAll(/<rect class="(\w+)" x="([\d.]+)" width="([\d.]+)"/g);
    expect([...parts].map(([, ...part]) => part)).toEqual([
      ["error", "0.0", "3.0"],
      ["unknown", "3.0", "997.0"],
    ]);
  });

  it("leads through pages of a large fleet", ({ expect }) => {
    const fleet = fleetOf(
      ...Array.from({ length: 450 }, (_, index) => declared(`z${index}.example.com`)),
    );
    const page = fleetPage(fleet, { page: "2", q: "z" });
    expect(page).toContain('rel="prev" href="/?q=z"');
    expect(page).toContain('rel="next" href="/?q=z&amp;page=3"');
    // A new search begins with the first page.
    expect(page).not.toContain('type="hidden" name="page"');
    expect(wordsOf(page)).toContain("50 of 450");
    expect(fleetPage(fleet)).not.toContain('rel="prev"');
    expect(fleetPage(fleet, { page: "9" })).not.toContain('rel="next"');
  });
});

describe("a zone's page", () => {
  it("shows plan, hold, history and what is left alone", async ({ expect }) => {
    await expect(withoutHashes(zonePage(scene()))).toMatchFileSnapshot("../golden/page-zone.html");
  });

  it("links its labels to the zones that have them", ({ expect }) => {
    const labels = { tier: "gold", team: "payments" };
    const page = zonePage(fleetOf(declared(shop, { labels })));
    expect(page).toContain('href="/?selector=tier%3Dgold"');
    expect(wordsOf(page)).toContain("Labels team=payments tier=gold");
    const one = fleetOf(declared(shop, { labels: { tier: "gold" } }));
    expect(wordsOf(zonePage(one))).toContain("Labels tier=gold Drifted");
  });

  it("marks in a value what is only on one side", ({ expect }) => {
    const page = zonePage(scene());
    expect(page).toContain("script-src &#39;self&#39; <del>evil.example</del>");
    expect(page).toContain("script-src &#39;self&#39; <ins>cdn.example</ins>");
  });

  it.for([
    { zone: "www.example.com", says: "The zone was not reconciled yet." },
    {
      zone: "pay.example.com",
      says: "The last reconcile failed GET page_shield: 503 API_UNAVAILABLE ray 8f2a 1 failure in a row, retried automatically Plan The zone was not read yet.",
    },
    { zone: "old.example.com", says: "Suspended CHG-4411 Reconciled without writes." },
    {
      zone: "blog.example.com",
      says: "blog.example.com in sync Plan No changes: the live state equals the desired state (5 resources compared)",
    },
  ])("of $zone says: $says", ({ zone, says }, { expect }) => {
    const page = zonePage(scene(), zone);
    expect(wordsOf(page)).toContain(says);
    expect(page).not.toMatch(/<small>\s*<\/small>/);
    expect(page).not.toContain('class="card "');
  });

  it.for([
    { program: "enforce", zone: "enforce", says: "Mode enforce Drifted never since the start" },
    { program: "enforce", zone: "observe", says: "Mode observe Drifted never since the start" },
    { program: "observe", zone: "observe", says: "Mode observe Drifted never since the start" },
    {
      program: "observe",
      zone: "enforce",
      says: "Mode observe (program); enforce (zone file) Drifted never since the start",
    },
  ] as const)(
    "says of a zone in $zone under a program in $program: $says",
    ({ program, zone, says }, { expect }) => {
      const fleet = fleetOf(declared(shop, { mode: zone }));
      const state = stateAfter(fleet, report(shop, 1, { result: "in_sync" }));
      const snapshot = { ...snapshotOf(fleet), daemon: daemon({ mode: program }) };
      expect(wordsOf(textOfHtml(renderZonePage(snapshot, state)))).toContain(says);
    },
  );

  it.for([
    { holds: ["observe"], says: "Observed only held: observe" },
    { holds: ["observe", "wave"], says: "The plan waits held: observe" },
    { holds: ["weakening", "wave"], says: "The plan is held held: weakening" },
  ] as const)("says of a plan with the holds $holds: $says", ({ holds, says }, { expect }) => {
    const fleet = fleetOf();
    fleet.recordZone(report(shop, 1, held(...holds)));
    expect(wordsOf(zonePage(fleet))).toContain(says);
  });

  it("says until when it is suspended, what is noted of it, and who has its token", ({
    expect,
  }) => {
    const fleet = fleetOf(declared(shop, { suspension: { reason: "CHG-1", until: at(90) } }));
    const { zone, ...rest } = planOf(shop);
    const extra = {
      kind: "policy",
      key: "policy/extra",
      id: "c9ef84",
      ref: "",
      title: "",
    } as const;
    const plan = { ...rest, zone: { ...zone, tier: "" }, notes: ["<b>a note"], unowned: [extra] };
    const state = stateAfter(fleet, {
      ...report(shop, 1, { result: "in_sync" }),
      result: "in_sync",
      plan,
    });
    const audit = auditOf({ usedElsewhereOf: new Map([[shop, [tokenUse()]]]) });
    const snapshot = { ...snapshotOf(fleet), daemon: daemon({ audit }) };
    const page = textOfHtml(renderZonePage(snapshot, state));
    const words = wordsOf(page);
    expect(words).toContain(
      "Suspended CHG-1 Reconciled without writes until 2026-11-21T11:30:00.000Z.",
    );
    expect(zoneJson(state, snapshot)["notes"]).toEqual([
      "<b>a note",
      expect.stringMatching(/^unmanaged, declared: /),
    ]);
    expect(words).toContain("Audit log Our token is used elsewhere.");
    expect(words).toContain(
      "Plan unknown Status active Notes &lt;b&gt;a note unmanaged, declared: 1 policy (policy/extra): deleted from the files, it would stay live; zonewarden adopt takes ownership",
    );
    expect(page).toContain('<h2 id="audit-title">');
    expect(page).toContain('<h2 id="notes-title">');
    expect(wordsOf(zonePage(fleet))).not.toContain("Audit log");
  });

  it("has a form for a reconcile where one can be requested", ({ expect }) => {
    const fleet = fleetOf();
    const snapshot = { ...snapshotOf(fleet), canReconcile: true };
    const page = textOfHtml(renderZonePage(snapshot, stateAfter(fleet)));
    expect(page).toContain('<h2 id="reconcile-title">Reconcile</h2>');
    expect(wordsOf(page)).toContain("Reconcile Reconcile token This zone State");
    expect(wordsOf(textOfHtml(renderFleetPage(snapshot, selectionFrom({}))))).toContain(
      "Reconcile Reconcile token All zones Credentials",
    );
  });

  it("opens what a zone has to pass where something holds it back", ({ expect }) => {
    expect(zonePage(scene())).toContain('<details class="record" id="write" open>');
    expect(zonePage(scene(), "blog.example.com")).toContain('<details class="record" id="write" >');
  });

  it("says that a failure is not retried that would come again", ({ expect }) => {
    const fleet = fleetOf();
    const refused = failure("403: no access", { transient: false, ray: "" });
    fleet.recordZone(report(shop, 1, { result: "error", failure: refused }));
    expect(wordsOf(zonePage(fleet))).toContain(
      "403: no access API_UNAVAILABLE 1 failure in a row, waits for a change of the files or the next sweep",
    );
  });

  it("says who made drift, and when", ({ expect }) => {
    const fleet = fleetOf();
    const changes = [{ ...change("policy/a"), authors: [author({ at: at(4) })] }];
    fleet.recordZone(report(shop, 5, { result: "planned", cause: "drift", changes }));
    expect(wordsOf(zonePage(fleet))).toContain(
      "changed by alice@example.com in the dashboard, 26 min ago",
    );
  });

  it("tells what differs by its cause, and that nothing was applied yet", ({ expect }) => {
    const fleet = fleetOf();
    const changes = [
      ...withCause("drift", [change("policy/a", "neutral"), change("policy/g", "weakens")]),
      ...withCause("pending", [change("policy/b"), change("policy/c")]),
      ...withCause("unknown", [change("policy/d"), change("policy/e"), change("policy/f")]),
    ];
    fleet.recordZone(report(shop, 1, { result: "planned", cause: "drift", changes }));
    const page = zonePage(fleet);
    const remarks = page.matchAll(/<span class="effect neutral">([^<]*)<\/span>/g);
    expect([...remarks].map(([, remark]) => remark)).toEqual([
      "drift",
      "drift",
      "pending",
      "pending",
      "cause unknown",
      "cause unknown",
      "cause unknown",
    ]);
    const words = wordsOf(page);
    expect(words).toContain(
      "Plan 2 changes to correct drift, detected 29 min ago 2 changes pending 3 changes of unknown cause",
    );
    expect(words).toContain("Applied changes None since the start.");
    const parts = fleetPage(fleet).matchAll(/<span class="impact (\w+)">([^<]*)/g);
    expect([...parts].map(([, tone, text]) => `${tone}: ${text}`)).toEqual([
      "neutral: 1 other",
      "strengthens: 1 stronger",
      "pending: 2 pending",
      "pending: 3 of unknown cause",
    ]);
  });

  it.for([
    {
      cause: "drift",
      says: "1 change to correct drift, detected 29 min ago ; 1 weakened the protection",
    },
    { cause: "unknown", says: "1 change of unknown cause" },
  ] as const)("says what differs by one change: $says", ({ cause, says }, { expect }) => {
    const fleet = fleetOf();
    fleet.recordZone(report(shop, 1, { result: "planned", cause, changes: [a] }));
    expect(wordsOf(zonePage(fleet))).toContain(`Plan ${says}`);
  });

  it("names the kind of what is left alone, and leaves out the empty fields of a new rule", ({
    expect,
  }) => {
    const fleet = fleetOf();
    const fields = [
      { field: "action", before: undefined, after: "block" },
      { field: "ratelimit.counting_expression", before: undefined, after: "" },
    ];
    const { key, kind, title, effect } = change("rate_limiting_rule/login");
    const created = { verb: "create", key, kind, title, effect, causes: [], fields } as const;
    const unmanaged = [
      { kind: "custom_rule", id: "id-1", title: "Scrapers" },
      { kind: "policy", id: "id-2", title: "" },
    ] as const;
    fleet.recordZone(
      report(shop, 1, { result: "planned", cause: "pending", changes: [created], unmanaged }),
    );
    const page = zonePage(fleet);
    const words = wordsOf(page);
    expect(page).not.toContain('<span class="note"></span>');
    expect(page).toContain('<code class="value">block</code>');
    expect(words).toContain("custom rule id-1 Scrapers policy id-2");
    expect(words).toContain("Plan 1 change pending");
    expect(words).toContain("action block");
    expect(words).not.toContain("counting_expression");
  });

  it("distinguishes missing and empty values", ({ expect }) => {
    const fleet = fleetOf();
    const fields = [{ field: "description", before: undefined, after: "" }];
    const changes = [change("policy/a", "neutral", { fields })];
    fleet.recordZone(report(shop, 1, { result: "planned", cause: "pending", changes }));
    expect(wordsOf(zonePage(fleet))).toContain("description none empty");
  });
});

describe("a revision of the files that is held", () => {
  const fleet = fleetOf(declared(shop, { hold: fleetRefusal }), declared("blog.example.com"));
  fleet.recordLoad(heldLoad());
  for (const name of [shop, "blog.example.com"]) {
    fleet.recordZone(report(name, 1, { result: "in_sync" }));
  }

  it("is on every page, with the active revision", ({ expect }) => {
    const diagnostics = textOfHtml(renderDiagnosticsPage(snapshotOf(fleet)));
    for (const page of [fleetPage(fleet), zonePage(fleet), diagnostics]) {
      expect(wordsOf(page)).toContain("Diagnostics 1 ");
      expect(wordsOf(page)).toContain(
        "A new revision of the files is held. sha256-0357424802a9 would change or drop 2 zones and is not followed; 8c9b6cfb5909 stays active. 2 of 2 zones match it. Why, and what to do",
      );
      expect(wordsOf(page)).not.toContain("not in order");
      expect(wordsOf(page)).not.toContain("No diagnostics in");
    }
    expect(diagnostics).toContain('<section class="card error">');
    expect(wordsOf(diagnostics)).toContain(
      "The revision sha256-0357424802a9 is held revision sha256-0357424802a9 changes 2",
    );
  });

  it("has Git's name beside it, and beside the active one", ({ expect }) => {
    const labelled = fleetOf(declared(shop));
    const { held: revision } = heldLoad();
    if (revision === undefined) throw new Error("nothing is held");
    const dirty = "0357424802a91234567890abcdef1234567890ab-dirty";
    const commit = "8c9b6cfb5909a67682231d479f0f6b5da5aa4681";
    labelled.recordLoad(heldLoad({ commit, held: { ...revision, commit: dirty } }));
    const page = wordsOf(textOfHtml(renderDiagnosticsPage(snapshotOf(labelled))));
    expect(page).toContain("(commit 8c9b6cfb5909 )");
    expect(page).toContain("The revision sha256-0357424802a9 (commit 0357424802a9-dirty ) is held");
    expect(page).toContain(
      "Revision 8c9b6cfb5909 (commit 8c9b6cfb5909 ) stays active; 2 zones would change or be dropped.",
    );
  });

  it("stops all writes where it is not known what was applied before", ({ expect }) => {
    const first = fleetOf();
    first.recordLoad(heldLoad({ hash: "0357424802a9" }));
    expect(wordsOf(textOfHtml(renderDiagnosticsPage(snapshotOf(first))))).toContain(
      "Nothing is written; 2 zones would change.",
    );
  });

  it("blocks the zones that it touches, and no other", ({ expect }) => {
    const words = wordsOf(fleetPage(fleet));
    expect(words).toContain("shop.example.com revision sha256-0357424802a9 changes 2");
    expect(words).toContain("2 in sync");
    expect(wordsOf(zonePage(fleet))).toContain(
      "The new revision of the files is held revision sha256-0357424802a9 changes 2",
    );
    expect(wordsOf(zonePage(fleet))).toContain("Nothing to do by the active revision");
    expect(wordsOf(zonePage(fleet, "blog.example.com"))).not.toContain("fleet_change");
  });

  it("is shown while it goes out in waves, and which wave a zone waits for", ({ expect }) => {
    const message = "the zone waits for wave 2 of 3: wave 1 is applied";
    const waiting = fleetOf(declared(shop, { hold: { reason: "wave", message } }));
    waiting.recordLoad(loadInWaves());
    expect(wordsOf(fleetPage(waiting))).toContain(
      "Wave 1 of 3 has begun. 8c9b6cfb5909 waits in 45 zones. The next one begins in 1 h",
    );
    expect(wordsOf(zonePage(waiting))).toContain(`The new revision of the files waits ${message}`);
    waiting.recordLoad(loadInWaves({ unsettled: [named(shop)], nextAt: undefined }));
    expect(wordsOf(fleetPage(waiting))).toContain(`The next one waits for ${shop}`);
    const over = ["a", "b", "c", "d"].map((each) => {
      return { zone: named(`${each}.example`), state: "over", why: `${each}1 errors` } as const;
    });
    const gate = { over: 4, unknown: 0, zones: over };
    waiting.recordLoad(loadInWaves({ gate, nextAt: undefined }));
    expect(wordsOf(fleetPage(waiting))).toContain(
      "The next one waits for a.example, b.example, c.example and 1 more . The gate is not kept: a.example: a1 errors; b.example: b1 errors; c.example: c1 errors .",
    );
    waiting.recordLoad(loadInWaves({ gate, unsettled: [named(shop)], nextAt: undefined }));
    expect(wordsOf(fleetPage(waiting))).toContain(`The next one waits for ${shop} . The gate`);
    waiting.recordLoad(loadInWaves({ state: "paused", nextAt: undefined }));
    expect(wordsOf(fleetPage(waiting))).toContain(
      "in 45 zones. The rollout is paused. Fleet 1 zone",
    );
    waiting.recordLoad(loadInWaves({ wave: 3, unsettled: [named(shop)], waiting: new Map() }));
    expect(wordsOf(fleetPage(waiting))).toContain("waits in 0 zones. ");
    expect(wordsOf(fleetPage(waiting))).not.toContain("The next one");
  });

  it("is shown with the diagnostics of other files", ({ expect }) => {
    const broken = fleetOf();
    broken.recordLoad(heldLoad({ diagnostics: [diagnostic()] }));
    const words = wordsOf(fleetPage(broken));
    expect(words).toContain("Diagnostics 2 ");
    expect(words).toContain("A new revision of the files is held.");
    expect(words).toContain("stays active. 0 of 1 zone match it. 1 error .");
  });
});

describe("the banner of a load", () => {
  const diagnostics = [diagnostic(), diagnostic({ severity: "warning" })];

  it.for([
    {
      given: heldLoad({ hash: "0357424802a9" }),
      says: "Nothing is written. What was applied before is not known, and the files would change 2 zones. Why, and what to do",
    },
    {
      given: load({ result: "rejected", diagnostics: [internalError("crash"), diagnostic()] }),
      says: "The zone files are not followed. 2 errors . 8c9b6cfb5909 stays active.",
    },
    { given: load(), says: undefined },
    { given: load({ diagnostics: [diagnostic({ severity: "warning" })] }), says: undefined },
    {
      given: load({ result: "partial", diagnostics }),
      says: "The files are partially applied. 1 error . What has errors keeps its last good version, or is left out where it has none. Fleet",
    },
    {
      given: load({ result: "rejected", diagnostics }),
      says: "The files are rejected. 1 error . 8c9b6cfb5909 stays active. Fleet",
    },
    {
      given: load({ result: "rejected", revision: "", hash: "", diagnostics }),
      says: "enforce no active revision v0.1.0 The files are rejected. 1 error . No revision is active, and nothing is written.",
    },
  ])("says “$says”", ({ given, says }, { expect }) => {
    const fleet = fleetOf();
    fleet.recordLoad(given);
    const page = fleetPage(fleet);
    if (says === undefined) expect(page).not.toContain('class="banner"');
    else expect(wordsOf(page)).toContain(says);
  });

  it("says when the files had no errors", ({ expect }) => {
    const fleet = fleetOf();
    fleet.recordLoad(load({ at: at(5) }));
    for (const result of ["partial", "rejected"] as const) {
      fleet.recordLoad(load({ result, diagnostics }));
      expect(wordsOf(fleetPage(fleet))).toContain("Last load without errors: 25 min ago . Fleet");
    }
  });
});

describe("hostile text", () => {
  const script = "<script>alert(1)</script>";
  const attribute = `" onmouseover="alert(1)`;
  const turned = "\u202Eexe.gnp";

  it("is shown as text wherever the service or a file could bring it in", ({ expect }) => {
    const evil = `${script}${attribute}${turned}`;
    const fleet = fleetOf(declared(shop, { suspension: { reason: evil, until: undefined } }));
    const field = { field: evil, before: evil, after: { [evil]: evil } };
    const changes = [
      change("policy/a", "unclear", { title: evil, reasons: [evil], fields: [field] }),
    ];
    fleet.recordZone(
      report(shop, 1, {
        result: "applied",
        cause: "drift",
        changes,
        outcomes: [failed("policy/a")],
      }),
    );
    fleet.recordZone(
      report(shop, 2, {
        result: "held",
        cause: "drift",
        changes,
        holds: [hold("quota", evil)],
        unmanaged: [{ kind: "managed_rule", id: evil, title: evil }],
      }),
    );
    fleet.recordLoad(
      load({
        source: evil,
        revision: evil,
        diagnostics: [
          diagnostic({
            message: evil,
            remedy: evil,
            path: evil,
            place: { file: evil, line: 1, column: 1 },
          }),
        ],
      }),
    );
    const snapshot = snapshotOf(fleet);
    const pages = [
      fleetPage(fleet, { q: evil }),
      fleetPage(fleet),
      zonePage(fleet),
      textOfHtml(renderDiagnosticsPage(snapshot)),
    ];
    fleet.recordZone(report(shop, 3, { result: "error", failure: failure(evil) }));
    expect(zonePage(fleet)).toContain('<section class="card error">');
    pages.push(zonePage(fleet), fleetPage(fleet));
    for (const page of pages) {
      expect(page).not.toContain(script);
      expect(page).not.toContain(attribute);
      expect(page).toContain("&lt;script&gt;alert(1)");
    }
    expect(zonePage(fleet)).not.toContain("\u202E");
  });

  it("does not make a row long without end", ({ expect }) => {
    const fleet = fleetOf();
    fleet.recordZone(report(shop, 1, { result: "error", failure: failure("x".repeat(5_000)) }));
    expect(fleetPage(fleet)).toContain(`<bdi>${"x".repeat(160)}…</bdi>`);
    fleet.recordZone(report(shop, 2, { result: "error", failure: failure("x".repeat(160)) }));
    expect(fleetPage(fleet)).toContain(`${"x".repeat(160)}</bdi>`);
  });
});

describe("the diagnostics page", () => {
  it("come with place, path, what is wrong and what would be right", ({ expect }) => {
    const fleet = fleetOf();
    fleet.recordLoad(load({ result: "partial", diagnostics: [diagnostic()] }));
    expect(wordsOf(textOfHtml(renderDiagnosticsPage(snapshotOf(fleet))))).toContain(
      "Fleet / Diagnostics Diagnostics 1 diagnostic in ./zones , read 30 min ago . 1 error in shops.yaml . shops.yaml:12:15 error SCHEMA_ENUM &quot;blok&quot; is no action of a policy. Did you mean &quot;log&quot;? in zones[0].page_shield.policies.items[0].action",
    );
  });

  it("counts errors and warnings, and names the files that are broken", ({ expect }) => {
    const fleet = fleetOf();
    const place = { file: "blog.yaml", line: 1, column: 1 };
    const warning = diagnostic({ severity: "warning", place });
    fleet.recordLoad(load({ diagnostics: [{ ...warning, path: "" }] }));
    expect(wordsOf(textOfHtml(renderDiagnosticsPage(snapshotOf(fleet))))).toMatch(
      /1 diagnostic in \.\/zones , read 30 min ago \. blog\.yaml:1:1 warning .*\? As of/,
    );
    fleet.recordLoad(load({ result: "partial", diagnostics: [warning, diagnostic(), warning] }));
    const words = wordsOf(textOfHtml(renderDiagnosticsPage(snapshotOf(fleet))));
    expect(words).toContain(
      "3 diagnostics in ./zones , read 30 min ago . 1 error in shops.yaml , 2 warnings after them.",
    );
    expect(words.indexOf("shops.yaml:12:15")).toBeLessThan(words.indexOf("blog.yaml:1:1"));
  });

  it("shows that there are none, or that nothing was read yet", ({ expect }) => {
    const fleet = fleetOf();
    expect(wordsOf(textOfHtml(renderDiagnosticsPage(snapshotOf(fleet))))).toContain(
      "The files have not been read yet.",
    );
    fleet.recordLoad(load());
    fleet.recordZone(report(shop, 1, drifted));
    expect(wordsOf(textOfHtml(renderDiagnosticsPage(snapshotOf(fleet))))).toContain(
      "No diagnostics in ./zones",
    );
    expect(textOfHtml(renderDiagnosticsPage(snapshotOf(fleet)))).not.toContain("<ol");
  });
});
