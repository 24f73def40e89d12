import { describe, it } from "vitest";

import * as audited from "../support/audited-changes.ts";
import { alice, deletionOf, Runs, writeOfSetting, zone } from "../support/author-runs.ts";

/** The drift of the setting is left, with its author. */
function left(): Runs {
  const runs = new Runs();
  runs.inSync(1);
  runs.read(3, writeOfSetting(2));
  runs.leaves(4, audited.setting);
  return runs;
}

describe("authors of drift that was left", () => {
  it("are saved while the drift stands, and cleared once when it is gone", ({ expect }) => {
    const runs = left();
    expect(runs.saved).toEqual([[`setting/enabled by ${alice} in the dashboard`]]);
    runs.leaves(5, audited.setting);
    runs.inSync(6);
    runs.inSync(7);
    expect(runs.saved.slice(2)).toEqual([[]]);
  });

  it("are not saved where nobody is named", ({ expect }) => {
    const runs = new Runs();
    runs.inSync(1);
    runs.leaves(4, audited.setting);
    expect(runs.saved).toEqual([]);
  });

  it("are known as long as the process runs, though nothing is saved and the entries are gone", ({
    expect,
  }) => {
    const runs = left();
    runs.isKept = false;
    const flood = Array.from({ length: 200 }, (_, nth) => deletionOf(`${nth}`, 5));
    runs.read(6, ...flood);
    expect(runs.authorsOf(audited.setting)).toBe(alice);
  });

  it("are shown after a restart as the style is then", ({ expect }) => {
    const runs = left();
    runs.restart();
    expect(runs.authorsOf(audited.setting)).toBe(alice);
    runs.style = "masked";
    expect(runs.authorsOf(audited.setting)).toBe("a…@example.com");
    runs.style = "none";
    expect(runs.authorsOf(audited.setting)).toBe("a person");
  });

  it("are not those of other drift of the same resource", ({ expect }) => {
    const runs = left();
    runs.restart();
    const fields = [{ field: "value", before: "report-only", after: true }];
    expect(runs.authorsOf({ ...audited.setting, fields })).toBe("");
  });

  it("stay where a run fails, and are forgotten with the zone", ({ expect }) => {
    const runs = left();
    runs.ends(5, { result: "error" });
    runs.isKept = false;
    runs.keepOnly(zone);
    expect(runs.authorsOf(audited.setting)).toBe(alice);
    runs.keepOnly("blog.example.com");
    expect(runs.authorsOf(audited.setting)).toBe("");
    // The entries that explained it are forgotten too.
    runs.inSync(1);
    expect(runs.authorsOf(audited.setting)).toBe("");
  });

  it("are not known of a zone that was dropped and is declared again", ({ expect }) => {
    const runs = new Runs();
    runs.inSync(1);
    runs.keepOnly("blog.example.com");
    runs.read(3, writeOfSetting(2));
    expect(runs.authorsOf(audited.setting)).toBe("");
  });

  it("are not those of entries that came before a zone was dropped", ({ expect }) => {
    const runs = new Runs();
    runs.read(3, writeOfSetting(2));
    runs.keepOnly("blog.example.com");
    runs.inSync(1);
    expect(runs.authorsOf(audited.setting)).toBe("");
  });
});
