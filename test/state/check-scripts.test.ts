import { describe, it } from "vitest";

import type { AuthorisedScript } from "../../src/zone/declared-scripts.ts";
import type { Script } from "../../src/zone/inventory-item.ts";
import { script } from "../support/inventory.ts";
import {
  authorised,
  check,
  day,
  declaredScripts,
  findingsIn,
  firstDay,
  hashA,
  hashB,
  hashC,
  here,
  pay,
  pinned,
  readingOf,
  version,
  withVersions,
} from "../support/watched.ts";

interface Situation {
  readonly when: string;
  readonly entries?: readonly AuthorisedScript[];
  readonly scripts: readonly Script[];
  readonly finds: readonly string[];
}

function urlOf(name: string): string {
  return `https://${name}.example.net/a.js`;
}

describe("a check of the scripts on declared pages", () => {
  it.for<Situation>([
    {
      when: "an approved entry matches",
      entries: [authorised(pay)],
      scripts: [here(pay)],
      finds: [],
    },
    { when: "no entry matches", scripts: [here(pay)], finds: [`unauthorised ${pay}`] },
    {
      when: "nobody has approved the entry",
      entries: [authorised(pay, { approvedBy: "" })],
      scripts: [here(pay)],
      finds: [`unauthorised ${pay}`],
    },
    {
      when: "the approval is of a later day",
      entries: [authorised(pay, { approvedOn: "2026-11-04" })],
      scripts: [here(pay)],
      finds: [`unauthorised ${pay}`],
    },
    {
      when: "the longest of two entries is not approved",
      entries: [authorised("https://pay.example.net/*"), authorised(pay, { approvedBy: "" })],
      scripts: [here(pay)],
      finds: [`unauthorised ${pay}`],
    },
    {
      when: "an authorised script is malicious",
      entries: [authorised(pay)],
      scripts: [here(pay, { urlReportedMalicious: true })],
      finds: [`malicious ${pay}`],
    },
    {
      when: "a script is no longer in use",
      scripts: [here(pay, { status: "inactive" })],
      finds: [],
    },
    {
      when: "a URL is no URL",
      entries: [authorised("https://*.example.net/*")],
      scripts: [here("not a url")],
      finds: ["unauthorised not a url"],
    },
    {
      when: "one URL is on record for two hosts",
      scripts: [here(pay, { id: "1" }), here(pay, { id: "2" })],
      finds: [`unauthorised ${pay}`],
    },
    {
      when: "the review is overdue since today",
      entries: [authorised(pay, { reviewBy: "2026-11-01" })],
      scripts: [here(pay)],
      finds: [`review_overdue ${pay}`],
    },
    {
      when: "the review is due today",
      entries: [authorised(pay, { reviewBy: "2026-11-02" })],
      scripts: [here(pay)],
      finds: [],
    },
    {
      when: "an entry has no justification",
      entries: [authorised(pay, { justification: "" })],
      scripts: [here(pay)],
      finds: [`unjustified ${pay}`],
    },
    {
      when: "an entry has no day of review",
      entries: [authorised(pay, { reviewBy: "" })],
      scripts: [here(pay)],
      finds: [`unjustified ${pay}`],
    },
    {
      when: "an entry has no owner",
      entries: [authorised(pay, { owner: "" })],
      scripts: [here(pay)],
      finds: [`unjustified ${pay}`],
    },
    {
      when: "pinned content is that of the approval",
      entries: [pinned],
      scripts: [withVersions(pay, version(hashA, -9), version(hashB, -3))],
      finds: [],
    },
    {
      when: "pinned content was fetched first after the approval, of a script that was there before",
      entries: [pinned],
      scripts: [{ ...withVersions(pay, version(hashA, 0)), firstSeenAt: day(-9) }],
      // It was taken for the approved content before, though nobody knows what was approved.
      finds: [`unverified ${pay}`],
    },
    {
      when: "pinned content was fetched first after the approval, and changed since",
      entries: [pinned],
      scripts: [
        { ...withVersions(pay, version(hashA, -0.4), version(hashB, 0)), firstSeenAt: day(-9) },
      ],
      finds: [`changed ${pay}`, `unverified ${pay}`],
    },
    {
      when: "pinned content was fetched at the moment of the approval",
      entries: [{ ...pinned, approvedOn: day(-3).toISOString() }],
      scripts: [withVersions(pay, version(hashA, -9), version(hashB, -3))],
      finds: [],
    },
    {
      when: "a pinned script was seen first at the moment of the approval, and fetched later",
      entries: [{ ...pinned, approvedOn: day(-3).toISOString() }],
      scripts: [{ ...withVersions(pay, version(hashA, 0)), firstSeenAt: day(-3) }],
      finds: [`unverified ${pay}`],
    },
    {
      when: "pinned content that was fetched first after the approval is approved again",
      entries: [{ ...pinned, approvedOn: day(0).toISOString() }],
      scripts: [{ ...withVersions(pay, version(hashA, -0.4)), firstSeenAt: day(-9) }],
      finds: [],
    },
    {
      when: "pinned content changed after the approval",
      entries: [pinned],
      scripts: [withVersions(pay, version(hashA, -9), version(hashB, 0))],
      finds: [`changed ${pay}`],
    },
    {
      when: "pinned content changed after the approval, and back",
      entries: [pinned],
      scripts: [withVersions(pay, version(hashA, -9), version(hashB, -0.4), version(hashA, 0))],
      finds: [`changed ${pay}`],
    },
    {
      when: "pinned content became again what it was before the version of the approval",
      entries: [pinned],
      scripts: [withVersions(pay, version(hashA, -9), version(hashB, -3), version(hashA, 0))],
      finds: [`changed ${pay}`],
    },
    {
      when: "pinned content changed twice after the approval",
      entries: [pinned],
      scripts: [withVersions(pay, version(hashA, -9), version(hashB, -0.4), version(hashC, 0))],
      finds: [`changed ${pay}`, `changed ${pay}`],
    },
    {
      when: "a pinned script appeared after the approval of its pattern",
      entries: [authorised("https://pay.example.net/*", { integrity: { by: "pinned" } })],
      scripts: [withVersions(pay, version(hashA, 0))],
      finds: [`changed ${pay}`],
    },
    {
      when: "the new content was approved",
      entries: [{ ...pinned, approvedOn: "2026-11-02" }],
      scripts: [withVersions(pay, version(hashA, -9), version(hashB, -0.5))],
      finds: [],
    },
    {
      when: "the service has no hash of pinned content",
      entries: [pinned],
      scripts: [here(pay)],
      finds: [`unverified ${pay}`],
    },
    {
      when: "the service has no hash of content of which some is allowed",
      entries: [authorised(pay, { integrity: { by: "hashes", hashes: [hashA] } })],
      scripts: [here(pay)],
      finds: [`unverified ${pay}`],
    },
    {
      when: "the content is one of those that are allowed",
      entries: [authorised(pay, { integrity: { by: "hashes", hashes: [hashA, hashB] } })],
      scripts: [withVersions(pay, version(hashB, 0))],
      finds: [],
    },
    {
      when: "the content is none of those that are allowed",
      entries: [authorised(pay, { integrity: { by: "hashes", hashes: [hashA] } })],
      scripts: [withVersions(pay, version(hashB, 0))],
      finds: [`changed ${pay}`],
    },
  ])("where $when", ({ entries = [], scripts, finds }, { expect }) => {
    const result = check(declaredScripts(entries), readingOf(scripts), firstDay);
    expect(findingsIn(result)).toEqual(finds);
  });

  it.for([
    { now: "2026-11-01T23:59:59.999Z", finds: [] },
    { now: "2026-11-02T00:00:00.000Z", finds: [`review_overdue ${pay}`] },
  ])("takes a day of review to its end: at $now it finds $finds", ({ now, finds }, { expect }) => {
    const entries = [authorised(pay, { reviewBy: "2026-11-01" })];
    const seen = here(pay, { lastSeenAt: new Date(now) });
    expect(findingsIn(check(declaredScripts(entries), readingOf([seen]), new Date(now)))).toEqual(
      finds,
    );
  });

  it.for([
    { count: 19, finds: [`changed ${pay}`, `unverified ${pay}`] },
    // Older ones may have been dropped: the oldest one tells nothing of the approval.
    { count: 20, finds: [`changed ${pay}`, `changed ${pay}`] },
    { count: 22, finds: [`changed ${pay}`, `changed ${pay}`] },
  ])(
    "of $count versions since the approval of a script that was there finds $finds",
    ({ count, finds }, { expect }) => {
      const versions = Array.from({ length: count }, (_, nth) =>
        version(nth % 2 === 0 ? hashA : hashB, nth),
      );
      const old = { ...withVersions(pay, ...versions), firstSeenAt: day(-30), lastSeenAt: day(25) };
      const result = check(declaredScripts([pinned]), readingOf([old]), day(25));
      expect(findingsIn(result).toSorted()).toEqual(finds);
      expect(result.watch.scripts[0]?.versions).toHaveLength(Math.min(count, 20));
    },
  );

  it("names the newest fetch of each content that is not approved, newest first", ({ expect }) => {
    const versions = [version(hashB, -0.4), version(hashC, -0.3), version(hashB, -0.2)];
    const changing = withVersions(pay, version(hashA, -9), ...versions);
    const { watch } = check(declaredScripts([pinned]), readingOf([changing]), firstDay);
    expect(watch.findings.map(({ detail }) => detail)).toEqual([
      `the content bbbbbbbbbbbb…, fetched ${day(-0.2).toISOString()} is not the approved one`,
      `the content cccccccccccc…, fetched ${day(-0.3).toISOString()} is not the approved one`,
    ]);
  });

  it("names a content without a date if the service has none", ({ expect }) => {
    const entry = authorised(pay, { integrity: { by: "hashes", hashes: [hashA] } });
    const reading = readingOf([here(pay, { hash: hashB })]);
    const { watch } = check(declaredScripts([entry]), reading, firstDay);
    expect(watch.findings[0]?.detail).toBe("the content bbbbbbbbbbbb… is not the approved one");
  });

  it("names the entry of a script that nobody has approved", ({ expect }) => {
    const entry = authorised(pay, { approvedBy: "" });
    const reading = readingOf([here(pay), here(urlOf("unknown"))]);
    const { watch } = check(declaredScripts([entry]), reading, firstDay);
    expect(watch.findings.map(({ detail }) => detail)).toEqual([
      `its entry ${pay} is not approved: approved_by and approved_on`,
      "no entry authorises the script",
    ]);
  });

  it("finds everything at once, the gravest first", ({ expect }) => {
    const entries = [
      authorised(urlOf("unjustified"), { owner: "" }),
      authorised(urlOf("overdue"), { reviewBy: "2026-11-01" }),
      authorised(urlOf("gone")),
      authorised(urlOf("unverified"), { integrity: { by: "pinned" } }),
      authorised(urlOf("changed"), { integrity: { by: "pinned" } }),
      authorised(urlOf("malicious")),
    ];
    const first = check(declaredScripts(entries), readingOf([]), day(-1));
    const seen = { firstSeenAt: day(-9), lastSeenAt: firstDay };
    const reading = readingOf(
      [
        here(urlOf("unjustified"), seen),
        here(urlOf("overdue"), seen),
        here(urlOf("unverified"), seen),
        { ...withVersions(urlOf("changed"), version(hashA, -9), version(hashB, 1)), ...seen },
        here(urlOf("unknown"), seen),
        here(urlOf("malicious"), { ...seen, urlReportedMalicious: true }),
      ],
      { isMonitored: false },
    );
    const declared = declaredScripts(entries, { goneAfterDays: 9 });
    const result = check(declared, reading, day(8), first.watch);
    // Acknowledgements in declarations name these ids: they stay as they are.
    expect(result.watch.findings.map(({ id }) => id)).toEqual([
      "malicious-7dbfc4732973",
      "unauthorised-64b0c52230d2",
      "changed-cd8f16263275",
      "unverified-66283a032a65",
      "unmonitored-169f0d2cfe92",
      "gap-79768992dcb1",
      "gone-858bbab7fb08",
      "review_overdue-d030db36eeab",
      "unjustified-c5883ac36456",
    ]);
    expect(findingsIn(result)).toEqual([
      `malicious ${urlOf("malicious")}`,
      `unauthorised ${urlOf("unknown")}`,
      `changed ${urlOf("changed")}`,
      `unverified ${urlOf("unverified")}`,
      "unmonitored",
      "gap",
      `gone ${urlOf("gone")}`,
      `review_overdue ${urlOf("overdue")}`,
      `unjustified ${urlOf("unjustified")}`,
    ]);
  });

  it("lists the scripts that are not authorised first, the newest before older ones", ({
    expect,
  }) => {
    const scripts = [
      here("https://a.example/old.js", { firstSeenAt: day(-3) }),
      here(pay, { firstSeenAt: day(-1) }),
      here("https://a.example/new.js", { firstSeenAt: day(-2) }),
    ];
    const { watch } = check(declaredScripts([authorised(pay)]), readingOf(scripts), firstDay);
    expect(watch.scripts.map(({ url, entry }) => [url, entry])).toEqual([
      ["https://a.example/new.js", ""],
      ["https://a.example/old.js", ""],
      [pay, pay],
    ]);
  });

  it.for([
    { integrity: { by: "pinned" }, kept: [hashB, hashA] },
    { integrity: { by: "any" }, kept: [] },
    { integrity: { by: "hashes", hashes: [hashB] }, kept: [] },
  ] as const)("keeps versions if they are compared: $integrity.by", (given, { expect }) => {
    const changing = withVersions(pay, version(hashA, -9), version(hashB, -3));
    const entry = authorised(pay, { integrity: given.integrity });
    const { watch } = check(declaredScripts([entry]), readingOf([changing]), firstDay);
    expect(watch.scripts[0]?.versions.map(({ hash }) => hash)).toEqual(given.kept);
  });

  it("keeps no version whose content the service did not hash", ({ expect }) => {
    const first = withVersions(pay, version("", -9), version(hashA, -3));
    const { watch } = check(declaredScripts([pinned]), readingOf([first]), firstDay);
    expect(watch.scripts[0]?.versions.map(({ hash }) => hash)).toEqual([hashA]);
  });

  it("names the pages of a script once each, and none where the service names none", ({
    expect,
  }) => {
    const [start, cart] = ["https://shop.example.com/", "https://shop.example.com/cart"];
    const scripts = [
      here(pay, { firstPageUrl: start, pageUrls: [cart, start] }),
      here("https://a.example/a.js", { firstPageUrl: "" }),
    ];
    const { watch } = check(
      declaredScripts([pinned]),
      readingOf(scripts, { details: new Map() }),
      firstDay,
    );
    expect(watch.scripts.map(({ pageUrls }) => pageUrls)).toEqual([[], [start, cart]]);
  });

  it("does not look at scripts of other pages", ({ expect }) => {
    const elsewhere = script("https://blog.example.org/a.js");
    const first = script("https://x.example.org/a.js", {
      firstPageUrl: "https://shop.example.com/checkout/pay",
    });
    const reading = readingOf([elsewhere, first], { onPages: new Set() });
    expect(findingsIn(check(declaredScripts([]), reading, firstDay))).toEqual([
      "unauthorised https://x.example.org/a.js",
    ]);
  });
});
