import { describe, it } from "vitest";

import type { ClusterStatus, ShardStatus } from "../../src/state/daemon-status.ts";
import { textOfHtml } from "../../src/web/pages/html.ts";
import { clusterBanner, shardPanel } from "../../src/web/pages/page-shards.ts";
import { wordsOf } from "../support/pages.ts";
import { clusterOf } from "../support/reports.ts";

function shard(credential: string, more: Partial<ShardStatus> = {}): ShardStatus {
  const [lease, holder] = [`zonewarden.${credential}`, "other_1"];
  const shared = { lease, credential, holder, page: "", transitions: 0, failure: undefined };
  return { ...shared, isHeld: false, works: false, ...more };
}

const own = { isHeld: true, works: true, holder: "this_1" };

function sharing(...shards: readonly ShardStatus[]): ClusterStatus {
  return { lease: "zonewarden", identity: "this_1", failure: undefined, shards };
}

function bannerOf(cluster: ClusterStatus | undefined): string {
  const banner = clusterBanner({ cluster });
  return banner === undefined ? "" : wordsOf(textOfHtml(banner));
}

describe("the banner of a process in a cluster", () => {
  it.for([
    { when: "it works alone", cluster: undefined, says: "" },
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
    { when: "all shards are held", cluster: sharing(shard("a", own), shard("b")), says: "" },
    {
      when: "it has no shard",
      cluster: sharing(shard("a"), shard("b")),
      says: "This process, this_1, works on 0 of 2 shards.",
    },
    {
      when: "a shard is free",
      cluster: sharing(shard("a", own), shard("b", { holder: "" })),
      says: "works on 1 of 2 shards. Nobody holds 1 shard.",
    },
    {
      when: "a shard waits for its state",
      cluster: sharing(shard("a", own), shard("b", { ...own, works: false })),
      says: "1 shard of it cannot begin yet: the state cannot be read.",
    },
    {
      when: "a Lease cannot be read",
      cluster: sharing(shard("a", own), shard("b", { failure: "no answer" })),
      says: "The last request about a Lease failed: no answer.",
    },
    {
      when: "the Lease of the replicas cannot be read",
      cluster: { ...sharing(shard("a", own)), failure: "forbidden" },
      says: "The last request about a Lease failed: forbidden.",
    },
  ])("says “$says” where $when", ({ cluster, says }, { expect }) => {
    const text = bannerOf(cluster);
    if (says === "") expect(text).toBe("");
    else expect(text).toContain(says);
  });

  it("links to the pages of the holder", ({ expect }) => {
    const banner = clusterBanner({ cluster: clusterOf({ page: "http://10.0.0.7:9464/" }) });
    expect(banner === undefined ? "" : textOfHtml(banner)).toContain(
      '<a href="http://10.0.0.7:9464/"><bdi>zonewarden-0_a</bdi></a>',
    );
  });
});

describe("the list of the shards", () => {
  it("says who has each, with a link where the page is known", ({ expect }) => {
    const page = "http://10.0.0.7:9464/?a=1&b";
    const cluster = sharing(shard("a", own), shard("b", { page }), shard("c", { holder: "" }));
    const panel = shardPanel(cluster);
    const text = panel === undefined ? "" : textOfHtml(panel);
    expect(wordsOf(text)).toContain("a this process b other_1 c nobody");
    expect(text).toContain('<a href="http://10.0.0.7:9464/?a=1&amp;b"><bdi>other_1</bdi></a>');
  });

  it("shows text of others as text", ({ expect }) => {
    const panel = shardPanel(sharing(shard("a", { holder: "<b>x</b>" })));
    expect(panel === undefined ? "" : textOfHtml(panel)).not.toContain("<b>x");
  });

  it("is not there where one process works on all zones", ({ expect }) => {
    expect(shardPanel(clusterOf())).toBe(undefined);
    expect(shardPanel(undefined)).toBe(undefined);
  });
});
