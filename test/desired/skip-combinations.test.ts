import { describe, it } from "vitest";

import { managedRulesets } from "../../src/zone/managed-ruleset.ts";
import { factsOfPhase } from "../../src/zone/rule-phase.ts";
import { linesOf, loadText } from "../support/desired.ts";
import { emulated } from "../support/emulated.ts";

const ids = ["04116d14d7524986ba314d11c8a41e11"];

/** What an exception of the managed phase may skip, as a file says it and as the service takes it. */
const members = {
  ruleset: ["current", "current"],
  phase: ["current", "current"],
  rulesets: [["owasp"], [managedRulesets.owasp]],
  rules: [{ owasp: ids }, { [managedRulesets.owasp]: ids }],
  phases: [["http_ratelimit"], ["http_ratelimit"]],
  products: [["bic"], ["bic"]],
} as const;

const names = ["ruleset", "phase", "rulesets", "rules", "phases", "products"] as const;
const pairs = names.flatMap((one, index) =>
  names.slice(index + 1).map((other) => [one, other] as const),
);
const inCustomRules = new Set<string>(["ruleset", "phase", "phases", "products"]);

describe.for(["managed_rules", "custom_rules"] as const)("an exception of %s", (section) => {
  const usable = pairs.filter(
    (pair) => section === "managed_rules" || pair.every((name) => inCustomRules.has(name)),
  );

  it("is refused in the file where the service refuses its members together", async ({
    expect,
  }) => {
    await using service = await emulated({ plan: "enterprise" });
    const refused: string[] = [];
    for (const pair of usable) {
      const [inFile, wire] = [0, 1].map((side) =>
        Object.fromEntries(pair.map((name) => [name, members[name][side]])),
      );
      const rule = { key: "a", expression: "ssl", skip: inFile };
      const action = section === "custom_rules" ? { action: "skip" } : {};
      const zone = { name: "a.example", [section]: { rules: [{ ...rule, ...action }] } };
      const found = linesOf(await loadText(JSON.stringify({ zones: [zone] })));
      const errors = found.filter((line) => line.includes("error"));
      const entryPoint = `/rulesets/phases/${factsOfPhase(section).wire}/entrypoint`;
      const sent = { action: "skip", expression: "ssl", action_parameters: wire };
      const taken = await service.send("PUT", entryPoint, { rules: [sent] });
      const isTaken = taken !== undefined;
      expect([pair, errors.length === 0]).toEqual([pair, isTaken]);
      if (isTaken) continue;
      expect(errors).toEqual([
        expect.stringMatching(/"\w+" excludes "\w+".*keep one of the two, or write two rules/),
      ]);
      refused.push(pair.join("+"));
    }
    expect(refused).toEqual(
      section === "custom_rules"
        ? ["ruleset+phase", "phase+phases"]
        : [
            "ruleset+phase",
            "ruleset+rulesets",
            "ruleset+rules",
            "phase+rulesets",
            "phase+rules",
            "phase+phases",
            "rulesets+phases",
          ],
    );
  });
});
