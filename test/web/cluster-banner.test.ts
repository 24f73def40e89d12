import { describe, it } from "vitest";

import { textOfHtml } from "../../src/render/html.ts";
import type { DaemonStatus, StateStatus } from "../../src/state/daemon-status.ts";
import { renderFleetPage } from "../../src/web/pages/page-fleet.ts";
import { selectionFrom } from "../../src/web/pages/selection.ts";
import { fleetOf } from "../support/fleets.ts";
import { snapshotOf, wordsOf } from "../support/pages.ts";
import { clusterOf, daemon } from "../support/reports.ts";

/** The page of a fleet; `query` selects zones. */
function pageOf(
  facts: Partial<DaemonStatus>,
  query: Readonly<Record<string, string>> = {},
): string {
  const snapshot = { ...snapshotOf(fleetOf()), daemon: daemon(facts) };
  return textOfHtml(renderFleetPage(snapshot, selectionFrom(query)));
}

/** The banner of a page; "" for none. */
function bannerOf(facts: Partial<DaemonStatus>): string {
  return /<p class="banner".*?<\/p>/s.exec(pageOf(facts))?.[0] ?? "";
}

const own = { isHeld: true, works: true, holder: "zonewarden-1_b" };

describe("the banner of a process in a cluster", () => {
  it.for([
    { when: "it holds the Lease", cluster: clusterOf(own), says: "" },
    {
      when: "another holds the Lease",
      cluster: clusterOf(),
      says: "zonewarden-0_a holds the Lease zonewarden. This process, zonewarden-1_b, waits for it. The pages of the holder show what is now.",
    },
    {
      when: "nobody holds the Lease",
      cluster: clusterOf({ holder: "" }),
      says: "Nobody holds the Lease zonewarden. This process, zonewarden-1_b, waits for it.",
    },
    {
      when: "it holds the Lease and cannot read the state",
      cluster: clusterOf({ ...own, works: false }),
      says: "This process holds the Lease zonewarden, and waits for the state, which it cannot read yet.",
    },
    {
      when: "it works and the Lease cannot be renewed",
      cluster: clusterOf({ ...own, failure: "no answer" }),
      says: "and works. The last request about the Lease failed: no answer.",
    },
    {
      when: "it ends its work because the Lease could not be renewed in time",
      cluster: clusterOf({ ...own, isHeld: false, failure: "no answer" }),
      says: "This process holds the Lease zonewarden, and works. The last request about the Lease failed: no answer.",
    },
    {
      when: "another holds the Lease, which cannot be read",
      cluster: clusterOf({ failure: "forbidden" }),
      says: "The last request about the Lease failed: forbidden.",
    },
  ])("says “$says” where $when", ({ cluster, says }, { expect }) => {
    const text = wordsOf(bannerOf({ cluster }));
    if (says === "") expect(text).toBe("");
    else expect(text.slice(-says.length)).toBe(says);
  });

  it("stands above no zones", ({ expect }) => {
    expect(wordsOf(pageOf({ cluster: clusterOf() }, { q: "nowhere" }))).toContain(
      "The zones are on the pages of the processes that hold a Lease.",
    );
  });

  it("links to the pages of the holder, whose name is shown as text", ({ expect }) => {
    const page = "http://10.0.0.7:9464/?a=1&b";
    const cluster = clusterOf({ page, holder: "<b>x</b>" });
    expect(bannerOf({ cluster })).toContain(
      '<a href="http://10.0.0.7:9464/?a=1&amp;b"><bdi>&lt;b&gt;x&lt;/b&gt;</bdi></a>',
    );
    expect(bannerOf({ cluster: clusterOf() })).not.toContain("<a");
  });
});

describe("the banner of a daemon that forgets", () => {
  it.for<{ readonly state: StateStatus; readonly says: string }>([
    { state: { status: "none", lost: undefined }, says: "" },
    {
      state: { status: "failing", lost: "damaged" },
      says: "The store cannot be written. After a restart, zonewarden does not know what it applied, or the history lacks lines. Releases by hash are not used while the state cannot be written. The log names the error.",
    },
    {
      state: { status: "ok", lost: "newer" },
      says: "The state could not be used at the start: it is newer. What was held, released or drifting before is not known. The log names the file.",
    },
  ])("says “$says”", ({ state, says }, { expect }) => {
    expect(wordsOf(bannerOf({ state }))).toBe(says);
  });
});
