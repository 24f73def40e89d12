import { it } from "vitest";

import { exampleWithEmulator } from "../support/example.ts";

it("prints a valid policy that blocks nothing but the miner", async ({ expect }) => {
  await using example = await exampleWithEmulator();
  const { place } = example;
  const { code, stdout, stderr } = await place.run("suggest", "shop.example.com");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout)
    .toBe(`# Made from 4 resources detected on shop.example.com. Detection is sampled: check the reports of the policy before you enforce it.
# Left out: https://stats.example.org/m.js (integrity score 4)

zones:
  - name: shop.example.com
    page_shield:
      policies:
        items:
          - key: shop-example-com
            description: Resources detected on shop.example.com
            action: log
            expression: http.host eq "shop.example.com"
            value:
              script-src: ["'self'", cdn.example.net, pay.example.net]
              connect-src: [pay.example.net]
`);
  await place.remove("zones");
  await place.write("zones/suggested.yaml", stdout);
  const checked = await place.run("validate");
  expect(checked.stdout + checked.stderr).not.toContain("error");
  expect(checked.code).toBe(0);
});

it.for([
  { host: "nowhere.example", says: "no zone for this host" },
  { host: 'a".shop.example.com', says: '"a\\".shop.example.com" is not a host name' },
  { host: "https://shop.example.com/", says: "write only the name, such as shop.example.com" },
  { host: "", says: '"" is not a host name' },
  { host: "blog.example.com", says: "nothing that a policy can be made from" },
])("says why there is none for $host", async ({ host, says }, { expect }) => {
  await using example = await exampleWithEmulator();
  const { code, stdout, stderr } = await example.place.run("suggest", host);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain(says);
});
