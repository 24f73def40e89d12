import { describe, it } from "vitest";

import { textOfHtml } from "../../src/render/html.ts";
import { clusterBanner } from "../../src/web/pages/cluster-banner.ts";
import { wordsOf } from "../support/pages.ts";
import { clusterOf } from "../support/reports.ts";

const own = { isHeld: true, works: true, holder: "zonewarden-1_b" };

describe("the banner of a process in a cluster", () => {
  it.for([
    { when: "it holds the Lease", cluster: clusterOf(own), says: "" },
    {
      when: "another holds the Lease",
      cluster: clusterOf(),
      says: "zonewarden-0_a holds the Lease zonewarden. This process, zonewarden-1_b, waits for it.",
    },
    {
      when: "nobody holds the Lease",
      cluster: clusterOf({ holder: "" }),
      says: "Nobody holds the Lease zonewarden.",
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
      when: "another holds the Lease, which cannot be read",
      cluster: clusterOf({ failure: "forbidden" }),
      says: "The last request about the Lease failed: forbidden.",
    },
  ])("says “$says” where $when", ({ cluster, says }, { expect }) => {
    const banner = clusterBanner(cluster);
    const text = banner === undefined ? "" : wordsOf(textOfHtml(banner));
    if (says === "") expect(text).toBe("");
    else expect(text).toContain(says);
  });

  it("links to the pages of the holder, whose name is shown as text", ({ expect }) => {
    const page = "http://10.0.0.7:9464/?a=1&b";
    const banner = clusterBanner(clusterOf({ page, holder: "<b>x</b>" }));
    expect(banner === undefined ? "" : textOfHtml(banner)).toContain(
      '<a href="http://10.0.0.7:9464/?a=1&amp;b"><bdi>&lt;b&gt;x&lt;/b&gt;</bdi></a>',
    );
  });
});
