import { describe, it } from "vitest";

import { textOfHtml } from "../../src/render/html.ts";
import type { AuditFeedStatus } from "../../src/state/audit-status.ts";
import type { CollectorState } from "../../src/state/collector-status.ts";
import type { DaemonStatus } from "../../src/state/daemon-status.ts";
import { renderFleetPage } from "../../src/web/pages/page-fleet.ts";
import { selectionFrom } from "../../src/web/pages/selection.ts";
import { fleetOf, shop } from "../support/fleets.ts";
import { snapshotOf, wordsOf } from "../support/pages.ts";
import { at, auditOf, daemon, named, tokenUse } from "../support/reports.ts";
import { scene } from "../support/scenes.ts";

/** A panel of the fleet's page, by its heading; "" if the page has none. */
function markedPanel(title: string, facts: Partial<DaemonStatus>): string {
  const snapshot = { ...snapshotOf(fleetOf()), daemon: daemon(facts) };
  const page = textOfHtml(renderFleetPage(snapshot, selectionFrom({})));
  const panels = [...page.matchAll(/<section.*?<\/section>/gs)].map(([each]) => each);
  return panels.find((panel) => wordsOf(panel).startsWith(title)) ?? "";
}

/** The same in words. */
function panelOf(title: string, facts: Partial<DaemonStatus>): string {
  return wordsOf(markedPanel(title, facts));
}

const elsewhere =
  "following since 30 min ago Our token is used elsewhere. Another installation or pipeline probably has the same token: give each its own, and revoke this one if you know of none.";

describe("how the audit log is followed, on the fleet's page", () => {
  it.for<{ readonly audit: Partial<AuditFeedStatus>; readonly says: string }>([
    { audit: { state: "off" }, says: "Not followed: sweeps find changes by hand." },
    { audit: { since: at(5) }, says: "following since 25 min ago" },
    {
      audit: {
        state: "lagging",
        accounts: { off: 0, following: 2, denied: 1, lagging: 3 },
        reason: "<b>busy",
      },
      says: "lagging since 30 min ago 1 account denied, 3 accounts lagging: &lt;b&gt;busy Sweeps go on; changes by hand are found later.",
    },
    {
      audit: { usedElsewhere: [tokenUse({ zone: "" })] },
      says: `${elsewhere} shops 30 min ago PUT /zones/z1/page_shield`,
    },
    {
      audit: { usedElsewhere: [tokenUse({ isDrift: true }), tokenUse({ zone: "" })] },
      says: `${elsewhere} shops 30 min ago PUT /zones/z1/page_shield ${shop} , drift shops 30 min ago PUT /zones/z1/page_shield`,
    },
  ])("$says", ({ audit, says }, { expect }) => {
    const panel = markedPanel("Audit log", { audit: auditOf(audit) });
    expect(wordsOf(panel)).toBe(`Audit log ${says}`);
    expect(panel).not.toContain('href="/zones/"');
    expect(panel.includes('<span class="good">following</span>')).toBe(
      says.startsWith("following"),
    );
  });

  it("is not there if nobody asks for it", ({ expect }) => {
    expect(panelOf("Audit log", { audit: undefined })).toBe("");
  });
});

describe("how the measurements go, on the fleet's page", () => {
  it.for<{ readonly state: CollectorState; readonly says: string }>([
    { state: "off", says: "" },
    { state: "starting", says: "Measurements starting" },
    { state: "collecting", says: "Measurements collecting" },
    {
      state: "denied",
      says: "Measurements denied : &lt;b&gt;403 measurements not permitted: give the token the permission Analytics: Read",
    },
    {
      state: "lagging",
      says: "Measurements lagging : &lt;b&gt;403 measurements lag: hours that were not read are read later",
    },
  ])("$state", ({ state, says }, { expect }) => {
    expect(panelOf("Measurements", { measurements: { state, reason: "<b>403" } })).toBe(says);
  });

  it.for([
    { state: "starting", marked: '<span class="quiet">starting</span>' },
    { state: "collecting", marked: '<span class="good">collecting</span>' },
  ] as const)("is marked as good where it is: $state", ({ state, marked }, { expect }) => {
    const measurements = { state, reason: "" };
    expect(markedPanel("Measurements", { measurements })).toContain(marked);
  });
});

describe("each panel of the fleet's page", () => {
  it("has a heading of its own", ({ expect }) => {
    const measurements = { state: "collecting", reason: "" } as const;
    const facts = daemon({ measurements, audit: auditOf() });
    const snapshot = { ...snapshotOf(scene()), daemon: facts, canReconcile: true };
    const page = textOfHtml(renderFleetPage(snapshot, selectionFrom({})));
    const headings = page.matchAll(
      /<section[^>]* aria-labelledby="([^"]*)"(?:.*?<h2 id="\1">(.*?)<\/h2>)/gs,
    );
    expect([...headings].map(([, id, title = ""]) => `${id}: ${wordsOf(title)}`)).toEqual([
      "seen-title: Inventory zones, as of the last read",
      "zones-title: Zones",
      "recent-title: Latest changes",
      "schedule-title: Schedule",
      "reconcile-title: Reconcile",
      "audit-title: Audit log",
      "measured-title: Measurements",
      "credentials-title: Credentials",
    ]);
  });
});

describe("schedule and credentials on the fleet's page", () => {
  it("say what comes next and what waits", ({ expect }) => {
    expect(panelOf("Schedule", {})).toBe(
      "Schedule Sweeps */15 * * * * Etc/UTC Next 15 min ago Queue empty Running nothing",
    );
    const { schedule } = daemon();
    const busy = {
      schedule: { ...schedule, nextAt: undefined },
      queue: { waiting: 2, running: [named("a.example"), named("b.example")] },
    };
    expect(panelOf("Schedule", busy)).toContain(
      "Next none scheduled Queue 2 zones waiting Running a.example, b.example",
    );
  });

  it("say how many requests are left, and what is wrong with a token", ({ expect }) => {
    const [known] = daemon().credentials;
    if (known === undefined) throw new Error("no credential");
    const spent = { ...known, valid: false, remaining: 7, resetAt: at(40), expiresAt: at(90) };
    expect(panelOf("Credentials", {})).toBe("Credentials shops valid 1,100 of 1,200 requests left");
    expect(panelOf("Credentials", { credentials: [spent] })).toBe(
      "Credentials shops invalid 7 of 1,200 requests left; the count resets in 10 min Token expires in 1 h",
    );
    const isReset = { ...spent, resetAt: at(30), expiresAt: undefined };
    expect(panelOf("Credentials", { credentials: [isReset] })).toMatch(/requests left$/);
    expect(markedPanel("Credentials", { credentials: [spent] }).replaceAll(/\s+/g, " ")).toContain(
      '<meter min="0" max="1200" low="120" optimum="1200" value="7" aria-label="Requests left for shops" ></meter>',
    );
    const unlimited = { ...spent, limit: 0, remaining: 0 };
    expect(
      markedPanel("Credentials", { credentials: [unlimited] }).replaceAll(/\s+/g, " "),
    ).toContain('<meter min="0" max="1" low="0" optimum="1" value="0"');
    expect(panelOf("Credentials", { credentials: [] })).toBe(
      "Credentials No credential is configured.",
    );
  });
});
