import { it } from "vitest";

import { coerceObject, coerceObjects } from "../../src/syntax/json.ts";
import { workplace } from "../support/command-line.ts";

const files = `zones:
  - name: shop.example.com
    custom_rules:
      rules:
        - { key: office, action: block, expression: not ssl }
        - key: admin
          action: block
          expression: ssl
          promote: { from: log, after: 7d, when: { events_per_10k_requests: 1 } }
`;

const kept = "store: { path: state }\n";
const measured = "measurements: {}\n";

it.for([
  { config: "", target: [], codes: ["PROMOTION_NOT_KEPT", "PROMOTION_UNMEASURED"] },
  { config: kept, target: [], codes: ["PROMOTION_UNMEASURED"] },
  { config: `${kept}${measured}`, target: [], codes: [] },
  {
    config: `${kept}lint: { PROMOTION_UNMEASURED: "off" }\n`,
    target: [],
    codes: [],
  },
  // Files that the command line names are not those of the configuration.
  { config: "", target: ["zones"], codes: [] },
])("validate tells what promotions need: $codes", async ({ config, target, codes }, { expect }) => {
  await using place = await workplace();
  await place.write("zones/shop.yaml", files);
  await place.write("zonewarden.yaml", `mode: observe\ndesired: { path: zones }\n${config}`);
  const { code, stdout } = await place.run("validate", ...target, "--format", "json");
  const found: unknown = JSON.parse(stdout);
  const told = coerceObjects(coerceObject(found)["diagnostics"]);
  expect(told.map((each) => each["code"])).toEqual(codes);
  expect(code).toBe(0);
});
