import { describe, it } from "vitest";

import { plan } from "../../src/plan/plan.ts";
import { fingerprintsOf, freshnessOf } from "../../src/plan/saved/fingerprint.ts";
import type { DesiredZone } from "../../src/zone/desired-zone.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import {
  absent,
  carriedOut,
  declared,
  deployment,
  desiredZone,
  entrypoint,
  exception,
  liveDeployment,
  liveZone,
  owner,
} from "../support/model.ts";
import { checkout, liveOwasp, liveUploads, owasp } from "../support/planned.ts";

const settings = desiredZone({ settings: [{ name: "enabled", value: true }] });
const policies = desiredZone({ policies: declared([checkout]) });
const rules = desiredZone({ rules: declared([owasp]) });
const moved = desiredZone({ rules: declared([exception("uploads"), deployment("owasp")]) });
const off = {
  enabled: false,
  use_cloudflare_reporting_endpoint: true,
  use_connection_url_path: false,
};

interface Saved {
  readonly what: string;
  readonly desired: DesiredZone;
  readonly live: Partial<LiveZone>;
  readonly prints: Readonly<Record<string, RegExp>>;
}

const digest = /^sha256:[0-9a-f]{32}$/;
const versionAndDigest = /^version 1, sha256:[0-9a-f]{32}$/;

describe("the fingerprints in a saved plan", () => {
  const saved: readonly Saved[] = [
    {
      what: "a setting by its value",
      desired: settings,
      live: { settings: off },
      prints: { "setting/enabled": /^false$/ },
    },
    {
      what: "a policy that is not there",
      desired: policies,
      live: { policies: [] },
      prints: { "mark/zonewarden:checkout": /^nowhere$/ },
    },
    {
      what: "a policy by a digest",
      desired: policies,
      live: { policies: [carriedOut("p1", checkout, { enabled: false })] },
      prints: { "policy/p1": digest },
    },
    {
      what: "an entry point that is not there",
      desired: rules,
      live: { entrypoint: absent },
      prints: { entrypoint: /^absent$/ },
    },
    {
      what: "a rule by its version and a digest",
      desired: rules,
      live: {
        entrypoint: entrypoint(liveDeployment("r1", { ref: "zonewarden:owasp", enabled: false })),
      },
      prints: { "rule/r1": versionAndDigest },
    },
    {
      what: "the rules among which one moves by version and digest",
      desired: moved,
      live: { entrypoint: entrypoint(liveOwasp, liveUploads) },
      prints: { entrypoint: /^version \d+, sha256:[0-9a-f]{32}$/ },
    },
  ];

  it.for(saved)("tell $what", ({ desired, live, prints }, { expect }) => {
    const found = fingerprintsOf(plan(desired, liveZone(live), owner), liveZone(live));
    expect(Object.keys(found)).toEqual(Object.keys(prints));
    for (const [name, text] of Object.entries(found)) expect(text).toMatch(prints[name] ?? "");
  });

  it.for(saved)("name what was not read again: $what", ({ desired, live, prints }, { expect }) => {
    const proposal = plan(desired, liveZone(live), owner);
    const fingerprints = fingerprintsOf(proposal, liveZone(live));
    const { stale, send } = freshnessOf({ plan: proposal, fingerprints }, liveZone());
    expect(stale).toEqual(Object.keys(prints));
    expect(send).toEqual([]);
  });

  it.for([
    { when: "it is gone", now: absent },
    {
      when: "another rule differs, whatever the version says",
      now: entrypoint(
        liveDeployment("r1", { ref: "zonewarden:owasp", enabled: false }),
        liveUploads,
      ),
    },
  ])("name the entry point where $when", ({ now }, { expect }) => {
    const live = liveZone({ entrypoint: entrypoint(liveOwasp, liveUploads) });
    const proposal = plan(moved, live, owner);
    const fresh = freshnessOf(
      { plan: proposal, fingerprints: fingerprintsOf(proposal, live) },
      liveZone({ entrypoint: now }),
    );
    expect(fresh.stale).toEqual(["entrypoint"]);
  });
});
