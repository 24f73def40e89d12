import { describe, it } from "vitest";

import { labelSelector } from "../../src/zone/label-selector.ts";

const pay = { team: "payments", tier: "gold" };
const shop = { team: "shop" };
const none = {};

describe("a selector of labels", () => {
  it.for([
    { text: "team=payments", finds: [pay] },
    { text: "team==shop", finds: [shop] },
    { text: "team!=shop", finds: [pay, none] },
    { text: "tier", finds: [pay] },
    { text: "!tier", finds: [shop, none] },
    { text: "team, !tier", finds: [shop] },
    { text: "team=payments,tier!=gold", finds: [] },
    { text: "constructor", finds: [] },
  ])("$text", ({ text, finds }, { expect }) => {
    expect([pay, shop, none].filter((labels) => labelSelector(text)?.(labels))).toEqual(finds);
  });

  it.for([
    "",
    "team=",
    "=payments",
    "Team=payments",
    "team=payments,",
    "!team=payments",
    "a b",
    "team=*",
  ])("is none: '%s'", (text, { expect }) => {
    expect(labelSelector(text)).toBeUndefined();
  });
});
