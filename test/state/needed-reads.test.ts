import { describe, it } from "vitest";

import { needsPages, scriptsOnPages, scriptsToRead } from "../../src/state/scripts/needed-reads.ts";
import {
  authorised,
  check,
  day,
  declaredScripts,
  hashA,
  hashB,
  pay,
  pinned,
  readingOf,
  version,
  withVersions,
} from "../support/watched.ts";

const seen = withVersions(pay, version(hashA, 0));
const declared = declaredScripts([pinned]);
const unused = { ...seen, id: "2", status: "inactive" };
const { watch } = check(declared, readingOf([seen, unused]), day(1));

describe("which pages have scripts", () => {
  it.for([
    { when: "nothing is known", earlier: "nothing", now: day(1), asks: true },
    { when: "it was asked at this very moment", now: day(1), asks: false },
    { when: "it was asked a short while ago", now: day(6.9), asks: false },
    { when: "it was asked six days ago", now: day(7), asks: true },
    { when: "it was asked in the future", now: day(0.9), asks: true },
    {
      when: "there is another script",
      now: day(2),
      scripts: [seen, { ...unused, id: "3" }],
      asks: true,
    },
    { when: "other pages are declared", now: day(2), pages: ["shop.example.com/*"], asks: true },
  ])("is asked of the service: $when: $asks", (row, { expect }) => {
    const { earlier = "known", now, asks, scripts = [unused, seen], pages = declared.pages } = row;
    const before = { known: watch, nothing: undefined }[earlier];
    expect(needsPages({ ...declared, pages }, scripts, before, now)).toBe(asks);
  });
});

describe("a script", () => {
  it.for([
    { when: "the service says so", ids: ["1"], isOn: true },
    { when: "its first page is one of them", first: "https://pay.example/cart", isOn: true },
    {
      when: "one of its pages is one of them",
      pages: ["https://blog.example/", "https://pay.example/cart"],
      isOn: true,
    },
    { when: "all its pages are others", pages: ["https://blog.example/"], isOn: false },
    { when: "no page is known", isOn: false },
  ])("is on the declared pages if $when: $isOn", (row, { expect }) => {
    const { ids = [], first = "", pages = [], isOn } = row;
    const script = { ...seen, id: "1", firstPageUrl: first, pageUrls: pages };
    const found = scriptsOnPages(
      { ...declared, pages: ["shop.example/*", "pay.example/*"] },
      [script],
      ids,
    );
    expect(found).toEqual(isOn ? [script] : []);
  });
});

describe("the versions of a script", () => {
  it.for([
    { when: "it is as it was", reads: false },
    { when: "it has another hash", script: { ...seen, hash: hashB }, reads: true },
    { when: "it was fetched again", script: { ...seen, fetchedAt: day(1) }, reads: true },
    {
      when: "the service does not say any longer when it was fetched",
      script: { ...seen, fetchedAt: undefined },
      reads: true,
    },
    { when: "it was never fetched", earlier: "unfetched", reads: true },
    {
      when: "it is not in use",
      script: { ...seen, hash: hashB, status: "inactive" },
      reads: false,
    },
    { when: "nothing is known", earlier: "nothing", reads: true },
    { when: "its content may be any until now", earlier: "unpinned", reads: true },
    { when: "its content may be any", entry: authorised(pay), earlier: "nothing", reads: false },
    {
      when: "no entry has it",
      entry: authorised("https://a.example/"),
      earlier: "nothing",
      reads: false,
    },
  ])("are read: $when: $reads", (row, { expect }) => {
    const { script = seen, entry = pinned, earlier = "known", reads } = row;
    const unpinned = check(declaredScripts([authorised(pay)]), readingOf([seen]), day(1)).watch;
    const scripts = watch.scripts.map((each) => ({ ...each, fetchedAt: undefined }));
    const unfetched = { ...watch, scripts };
    const before = { known: watch, unpinned, unfetched, nothing: undefined }[earlier];
    const found = scriptsToRead(declaredScripts([entry]), [script], before);
    expect(found).toEqual(reads ? [script] : []);
  });
});
