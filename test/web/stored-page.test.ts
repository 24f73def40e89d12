import { describe, it } from "vitest";

import type { StoredFleet } from "../../src/history/stored-fleet.ts";
import { textOfHtml } from "../../src/render/html.ts";
import type { DaemonStatus } from "../../src/state/daemon-status.ts";
import { coerceObject } from "../../src/syntax/json.ts";
import { renderStoredPage } from "../../src/web/pages/page-stored.ts";
import { selectionFrom } from "../../src/web/pages/selection.ts";
import { fleetOf } from "../support/fleets.ts";
import { snapshotOf, wordsOf } from "../support/pages.ts";
import { at, clusterOf, daemon, hold, named, standby } from "../support/reports.ts";
import { storedScene } from "../support/stored-scene.ts";
import { serveFleet } from "../support/web-server.ts";

function pageOf(
  stored: StoredFleet,
  query: Readonly<Record<string, string>> = {},
  facts: Partial<DaemonStatus> = { cluster: standby },
): string {
  const snapshot = { ...snapshotOf(fleetOf()), daemon: daemon(facts) };
  return textOfHtml(renderStoredPage(stored, snapshot, selectionFrom(query)));
}

/** The rows of its table, in words. */
function rowsOf(page: string): readonly string[] {
  const body = /<tbody>(.*)<\/tbody>/s.exec(page)?.[1] ?? "";
  return body
    .split("</tr>")
    .map(wordsOf)
    .filter((row) => row !== "");
}

describe("the page of a process that waits while another one works", () => {
  it("shows what the store says of each zone, the most urgent first", ({ expect }) => {
    expect(rowsOf(pageOf(storedScene()))).toEqual([
      "www.example.com team=payments &lt;img src=x onerror=alert(1)&gt;⟨U+202E⟩ is what the service answered error 28 min ago error 28 min ago schedule",
      "shop.example.com team=payments tier=gold drifted 1 h ago planned 28 min ago schedule, 1 change after drift",
      "blog.example.com unknown not known none: in sync since its first run, or unchanged for long",
      "docs.example.com team=content in sync 2 h ago applied 2 h ago schedule, 3 changes after a new declaration",
    ]);
  });

  it("says why a zone is held", ({ expect }) => {
    const held = storedScene().zones.map(({ entry, ...zone }) => {
      const holds = [hold("quota"), hold("weakening")];
      return { ...zone, entry: entry && { ...entry, failure: undefined, holds } };
    });
    expect(rowsOf(pageOf({ readAt: at(0), zones: held }))[1]).toContain(
      "tier=gold held: quota drifted",
    );
  });

  it("filters the zones by status and name", ({ expect }) => {
    const drifted = pageOf(storedScene(), { status: "drifted", q: "EXAMPLE" });
    expect(rowsOf(drifted)).toHaveLength(1);
    expect(rowsOf(pageOf(storedScene(), { q: "docs" }))).toHaveLength(1);
    const [first] = storedScene().zones;
    if (first === undefined) throw new Error("the store is empty");
    expect(wordsOf(pageOf({ readAt: at(0), zones: [first] }, { q: "nothing" }))).toContain(
      "No zone matches.",
    );
    expect(wordsOf(pageOf({ readAt: at(0), zones: [] }))).toContain("The store has no zones.");
  });

  it("leads through the pages of a large fleet", ({ expect }) => {
    expect(pageOf(storedScene())).not.toContain('class="pager"');
    const zones = Array.from({ length: 120 }, (_, nth) => {
      const name = named(`z${100 + nth}.example.com`);
      return { name, status: "unknown", labels: {}, entry: undefined } as const;
    });
    const page = pageOf({ readAt: at(0), zones }, { page: "2", q: "z" });
    expect(page).toContain("<title>Fleet · zonewarden</title>");
    expect(rowsOf(page)[0]).toContain("z150.example.com");
    expect(wordsOf(page)).toContain("50 of 120");
    expect(wordsOf(page)).toContain("Page 2 of 3");
    expect(page).toContain('rel="next" href="/?q=z&amp;page=3"');
  });

  it("filters the zones by their labels, and links each label", ({ expect }) => {
    const page = pageOf(storedScene(), { selector: "team=payments,tier!=gold", q: "example" });
    expect(rowsOf(page)).toEqual([expect.stringContaining("www.example.com team=payments")]);
    expect(page).toContain('href="/?q=example&amp;selector=team%3Dpayments"');
    expect(page).toContain('<option value="tier=gold"');
    expect(rowsOf(pageOf(storedScene(), { selector: "!team" }))).toHaveLength(1);
  });

  it("does not claim filters that the store cannot apply", ({ expect }) => {
    const more = {
      account: "Example Shops",
      author: "bob",
      drift: "weakens",
      cause: "c",
      sort: "name",
    };
    const page = pageOf(storedScene(), { ...more, inventory: "malicious", q: "example" });
    expect(page).toBe(pageOf(storedScene(), { q: "example" }));
    expect(rowsOf(page)).toHaveLength(4);
  });

  it.for([
    {
      when: "the page of the leader is known",
      cluster: clusterOf({ page: "http://10.0.0.7:9464/zonewarden" }),
      says: "As the store says, 10:29:00 UTC ; http://10.0.0.7:9464/zonewarden has what is now.",
    },
    {
      when: "only its name is known",
      cluster: standby,
      says: "As the store says, 10:29:00 UTC ; zonewarden-0_a has what is now.",
    },
    {
      when: "nobody leads",
      cluster: clusterOf({ holder: "" }),
      says: "As the store says, 10:29:00 UTC ; nobody leads now.",
    },
    {
      when: "no Lease is known",
      cluster: undefined,
      says: "As the store says, 10:29:00 UTC ; nobody leads now.",
    },
  ])(
    "says when the store was read, and who leads, where $when",
    ({ cluster, says }, { expect }) => {
      expect(wordsOf(pageOf(storedScene(), {}, { cluster }))).toContain(says);
    },
  );

  it("links zones to the pages of the leader, and nowhere if these are not known", ({ expect }) => {
    const pageAt = (page: string): string =>
      pageOf(storedScene(), {}, { cluster: clusterOf({ page }) });
    const page = pageAt("http://10.0.0.7:9464/zonewarden");
    expect(page).toContain('href="http://10.0.0.7:9464/zonewarden/zones/shop.example.com"');
    const slash = pageAt("http://10.0.0.7:9464/pages/");
    expect(slash).toContain('href="http://10.0.0.7:9464/pages/zones/shop.example.com"');
    expect(pageOf(storedScene())).not.toContain("zones/shop.example.com");
  });

  it("shows what others write as text", ({ expect }) => {
    const cluster = clusterOf({ page: 'http://x/"><script>', holder: "<b>" });
    const page = pageOf(storedScene(), {}, { cluster });
    expect(page).not.toContain("<img src=x");
    expect(page).not.toContain('"><script>');
    expect(page).not.toContain("<b></bdi>");
    expect(pageOf({ readAt: at(0), zones: "<script>" })).not.toContain("<script></bdi>");
  });

  it("says why it knows no zones, and who leads", ({ expect }) => {
    const words = wordsOf(pageOf({ readAt: at(29), zones: "no answer" }));
    expect(words).toContain("The store cannot be read: no answer . The zones are not known here.");
    expect(words).toContain("zonewarden-0_a holds the Lease zonewarden.");
    expect(words).not.toContain("As the store says");
  });
});

describe("the server of a process that waits", () => {
  it("answers from the store, and says so", async ({ expect, signal }) => {
    let stored: StoredFleet | undefined = storedScene();
    await using server = await serveFleet(fleetOf(), {
      storedFleet: () => Promise.resolve(stored),
      facts: () => daemon({ cluster: standby, workingSince: undefined }),
    });
    const get = async (path: string): Promise<readonly [number, unknown]> => {
      const response = await fetch(server.url + path, { signal });
      return [response.status, await response.json()];
    };
    expect(await get("/api/v1/zones?status=error")).toMatchObject([
      200,
      { source: "store", matching: 1, zones: [{ name: "www.example.com", status: "error" }] },
    ]);
    expect(await get("/api/v1/fleet")).toMatchObject([200, { source: "store", zones: 4 }]);
    expect(await get("/api/v1/zones?selector=team=payments,tier")).toMatchObject([
      200,
      {
        matching: 1,
        by_status: { drifted: 1, error: 0 },
        zones: [{ name: "shop.example.com", labels: { team: "payments", tier: "gold" } }],
      },
    ]);
    const zone = "/api/v1/zones/docs.example.com";
    for (const path of ["/api/v1/rollout", zone, `${zone}/history`, `${zone}/measurements`]) {
      expect([path, ...(await get(path))]).toEqual([
        path,
        503,
        {
          error:
            "this process waits for the Lease or for its store: send the request to the holder of the Lease, or see the log",
        },
      ]);
    }
    const page = await fetch(`${server.url}/zones/docs.example.com`, { signal });
    expect(wordsOf(await page.text())).toContain(
      "/zones/docs.example.com is not a page, or a zone that this process does not know: it waits for the Lease or for its store.",
    );
    stored = { readAt: at(1), zones: "no answer" };
    expect(await get("/api/v1/zones")).toEqual([503, { error: "no answer" }]);
    expect(await get("/api/v1/fleet")).toMatchObject([
      200,
      { failure: "no answer", zones: null, cluster: { holder: "zonewarden-0_a" } },
    ]);
    stored = undefined;
    const [status, body] = await get("/api/v1/zones");
    expect([status, coerceObject(body)["source"]]).toEqual([200, undefined]);
  });
});
