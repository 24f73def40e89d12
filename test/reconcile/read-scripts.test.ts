import { describe, it } from "vitest";

import { readScripts } from "../../src/reconcile/inventory/read-scripts.ts";
import type { ScriptWatch } from "../../src/state/scripts/script-watch.ts";
import type { ScriptReading } from "../../src/state/scripts/watched-scripts.ts";
import type { Script } from "../../src/zone/inventory-item.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import { script } from "../support/inventory.ts";
import { livePolicy, liveZone, readAllAt, shopZone } from "../support/model.ts";
import {
  check,
  day,
  declaredScripts,
  firstDay,
  hashA,
  pay,
  pinned,
  readingOf,
} from "../support/watched.ts";
import { ServiceFault } from "../support/world.ts";

const monitored = {
  enabled: true,
  use_cloudflare_reporting_endpoint: true,
  use_connection_url_path: false,
};
const [payScript, cdn] = [
  script(pay, { firstPageUrl: "" }),
  script("https://cdn.example.net/a.js", { firstPageUrl: "" }),
];
const declared = declaredScripts([pinned]);

/** What is known after the first day, on which only the pinned script was on the pages. */
function knownOf(scripts: readonly Script[]): ScriptWatch {
  return check(
    declared,
    readingOf(scripts, { onPages: new Set([pay]), details: new Map() }),
    firstDay,
  ).watch;
}

function withSettings(): LiveZone {
  return liveZone({ settings: monitored });
}

/** A service that is asked about scripts, and what it was asked. */
class Source {
  readonly asked: string[] = [];
  onPages: readonly Script[] = [payScript];
  fault: Error | undefined;

  async read(
    scripts: readonly Script[],
    live: Partial<LiveZone>,
    earlier: ScriptWatch | undefined,
    now = day(1),
  ): Promise<ScriptReading> {
    const { signal } = new AbortController();
    const zone = liveZone(live);
    const reading = readScripts(declared, scripts, zone, earlier, now, this.#source(), signal);
    return reading;
  }

  #source(): Parameters<typeof readScripts>[5] {
    return {
      listScriptsOn: async (zone, pages) => {
        this.asked.push(`scripts of ${zone.name} on ${pages.join(" ")}`);
        return Promise.resolve(this.onPages);
      },
      readScript: async (zone, id) => {
        this.asked.push(`script ${id} of ${zone.name}`);
        if (this.fault !== undefined) throw this.fault;
        return Promise.resolve(script(id, { hash: "read" }));
      },
      readAnswers: async (zone, wanted, priority) => {
        const parts = Object.entries(wanted).flatMap(([part, isWanted]) =>
          isWanted === true ? [part] : [],
        );
        this.asked.push(`${parts.join(" ")} of ${zone.name}, ${priority}`);
        return Promise.resolve({ readAt: readAllAt(0), digest: "", live: withSettings });
      },
    };
  }
}

const pages = `scripts of ${shopZone.name} on shop.example.com/checkout/*`;
const settings = `settings of ${shopZone.name}, inventory`;
const versions = `script ${pay} of ${shopZone.name}`;

describe("a round over declared scripts asks", () => {
  it("for the pages, the settings and the versions of pinned scripts at first", async ({
    expect,
  }) => {
    const source = new Source();
    const reading = await source.read([payScript, cdn], { policies: [] }, undefined);
    expect(source.asked).toEqual([pages, settings, versions]);
    expect(reading.scripts).toEqual([payScript, cdn]);
    expect(reading.onPages).toEqual(new Set([pay]));
    expect(reading.isMonitored).toBe(true);
    expect(reading.details).toEqual(new Map([[pay, script(pay, { hash: "read" })]]));
  });

  it("for no settings that were read anyway", async ({ expect }) => {
    const source = new Source();
    const off = { ...monitored, enabled: false };
    const reading = await source.read([payScript], { settings: off }, undefined);
    expect(source.asked).toEqual([pages, versions]);
    expect(reading.isMonitored).toBe(false);
  });

  it("for no pages where the scripts are as before: the pages are as they were", async ({
    expect,
  }) => {
    const source = new Source();
    // The content of the pinned script moved, and that of the other is nobody's concern.
    const scripts = [payScript, cdn].map((each) => ({ ...each, hash: hashA }));
    const reading = await source.read(scripts, {}, knownOf([payScript, cdn]));
    expect(source.asked).toEqual([versions]);
    expect([reading.onPages, reading.isMonitored]).toEqual([undefined, undefined]);
  });

  it("for nothing about a script that is on other pages alone", async ({ expect }) => {
    const source = new Source();
    source.onPages = [cdn];
    const reading = await source.read([payScript, cdn], { settings: monitored }, undefined);
    expect(source.asked).toEqual([pages]);
    expect(reading.details.size).toBe(0);
  });
});

describe("the versions of a pinned script", () => {
  it("are unknown where the service does not have it any more", async ({ expect }) => {
    const source = new Source();
    source.fault = new ServiceFault("API_NOT_FOUND", false);
    const reading = await source.read([payScript], {}, undefined);
    expect(reading.details.size).toBe(0);
  });

  it.for([new ServiceFault("API_SERVER", true), new TypeError("a fault of our own")])(
    "end the round where they cannot be read: %s",
    async (fault, { expect }) => {
      const source = new Source();
      source.fault = fault;
      await expect(source.read([payScript], {}, undefined)).rejects.toBe(fault);
    },
  );
});

describe("what the policies of a zone do to a script", () => {
  const blocking = livePolicy("p1", {
    action: "allow",
    expression: "true",
    value: "script-src 'self'",
  });

  it.for([
    { when: "they were read", policies: [blocking], decides: ["blocks"] },
    { when: "they were not read", policies: undefined, decides: [] },
  ])("is known where $when", async ({ policies, decides }, { expect }) => {
    const { enforcementOf } = await new Source().read([payScript], { policies }, undefined);
    expect(enforcementOf(payScript).map(({ decision }) => decision)).toEqual(decides);
  });
});
