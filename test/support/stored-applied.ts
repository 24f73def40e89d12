import { appliedText } from "../../src/plan/cause/applied-zone.ts";
import { nextApplied } from "../../src/plan/cause/next-applied.ts";
import { documentedScoreRuleId } from "../../src/zone/managed-ruleset.ts";
import { declared, deployment, desiredZone, exception, policy } from "./model.ts";

/** What the daemon stores of a zone: what was applied to five policies, OWASP and an exception, all of its own. */
export function storedApplied(nth: number): string {
  const own = (key: string) =>
    policy(key, { expression: `http.host eq "shop-${nth}.example.com"`, value: `img-src ${nth}` });
  const content = desiredZone({
    settings: [
      { name: "enabled", value: true },
      { name: "use_connection_url_path", value: nth % 2 === 0 },
    ],
    policies: declared(["checkout", "account", "search", "blog", "everywhere"].map(own)),
    rules: {
      managed_rules: declared([
        exception(`uploads-${nth % 7}`),
        deployment("owasp", {
          tuning: { paranoiaLevel: 2, scoreThreshold: 40, action: "block" },
          description: `Tuned for shop ${nth}`,
        }),
      ]),
    },
  }).content;
  return appliedText(nextApplied(undefined, content, documentedScoreRuleId, []));
}
