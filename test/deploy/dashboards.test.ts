import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { describe, it } from "vitest";
import { stringify } from "yaml";

import type { JsonObject } from "../../src/syntax/json.ts";
import { dashboards, expressionsOf } from "./dashboards.ts";
import { objectAt, objectsIn, textAt } from "./rules.ts";
import { noPromtool, run } from "./tools.ts";
import { foreignNames } from "./vocabulary.ts";

describe("the dashboards", () => {
  it("are fleet, operations and zone", ({ expect }) => {
    expect(dashboards.map(({ file }) => file)).toEqual([
      "fleet.json",
      "operations.json",
      "zone.json",
    ]);
  });

  it.for(dashboards)(
    "$file keeps its address and asks for its data source",
    ({ file, dashboard }, { expect }) => {
      expect(dashboard["uid"]).toBe(`zonewarden-${path.basename(file, ".json")}`);
      expect(dashboard["id"]).toBeUndefined();
      const sources =
        JSON.stringify(dashboard).match(/"datasource":\{"[^"]*":"[^"]*","[^"]*":"[^"]*"\}/g) ?? [];
      expect(new Set(sources)).toEqual(
        new Set(['"datasource":{"type":"prometheus","uid":"${datasource}"}']),
      );
    },
  );

  it.for(dashboards)(
    "$file has panels with a title, an own number and a place of their own",
    ({ dashboard }, { expect }) => {
      const panels = objectsIn(dashboard["panels"]);
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
      const cells = panels.flatMap((panel) => cellsOf(objectAt(panel, "gridPos")));
      expect(new Set(cells).size).toBe(cells.length);
      for (const panel of panels) {
        expect(textAt(panel, "title")).not.toBe("");
        expect(objectsIn(panel["targets"]).length).toBeGreaterThan(0);
      }
    },
  );

  it.for(dashboards)(
    "$file names only metrics, labels and values that the program exports",
    ({ dashboard }, { expect }) => {
      const expressions = expressionsOf(dashboard);
      expect(expressions.length).toBeGreaterThan(5);
      expect(expressions.flatMap((expr) => foreignNames(expr))).toEqual([]);
    },
  );

  it.for(dashboards)(
    "$file shows in its legends only labels that its series have",
    ({ dashboard }, { expect }) => {
      for (const panel of objectsIn(dashboard["panels"])) {
        for (const target of objectsIn(panel["targets"])) {
          const labels = [...textAt(target, "legendFormat").matchAll(/\{\{(\w+)\}\}/g)].map(
            ([, label = ""]) => label,
          );
          const expr = textAt(target, "expr");
          const by = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(", ") ?? ["name", "instance"];
          expect(by, expr).toEqual(expect.arrayContaining(labels));
        }
      }
    },
  );

  it.for(dashboards)(
    "$file says where the inventory or the measurements have no series that they may be off",
    ({ dashboard }, { expect }) => {
      for (const panel of objectsIn(dashboard["panels"])) {
        const [, what] =
          /zonewarden_(inventory|measured)_/.exec(JSON.stringify(panel["targets"])) ?? [];
        if (what === undefined) continue;
        const { noValue } = objectAt(objectAt(panel, "fieldConfig"), "defaults");
        const said =
          what === "measured" ? /measurements are off/ : /inventory is off|was read|to compare/;
        expect(noValue, textAt(panel, "title")).toMatch(said);
      }
    },
  );

  it.skipIf(noPromtool)(`ask in sound PromQL ${noPromtool ?? ""}`, async ({ expect }) => {
    const directory = await mkdtemp(path.join(tmpdir(), "zonewarden-dashboards-"));
    try {
      const rules = dashboards
        .flatMap(({ dashboard }) => expressionsOf(dashboard))
        .map((expr, at) => ({ record: `panel:expression_${at}`, expr }));
      const file = path.join(directory, "rules.yaml");
      await writeFile(file, stringify({ groups: [{ name: "panels", rules }] }));
      const { stdout } = await run("promtool", ["check", "rules", file]);
      expect(stdout).toContain(`SUCCESS: ${rules.length} rules found`);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

/** The cells of the grid of 24 columns that a panel covers. */
function cellsOf({ x, y, w, h }: JsonObject): readonly string[] {
  const [left, top, width, height] = [Number(x), Number(y), Number(w), Number(h)];
  return Array.from({ length: width * height }, (_, cell) => {
    return `${left + (cell % width)}/${top + Math.floor(cell / width)}`;
  });
}
