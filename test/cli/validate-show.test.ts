import { it } from "vitest";

import { workplace } from "../support/command-line.ts";

const files = `profiles: { sale: {
  labels: { season: winter } } }
zones: [{ name: shop.example.com,
  page_shield: { settings: { enabled: true } } },
  { match: { name: "*.brand.example", status: active },
    page_shield: { settings: { enabled: true } }
  },
  { match: { name: "*.sale.brand.example", plan: enterprise },
    priority: 10,
    profiles: [sale],
    page_shield: { settings: { use_connection_url_path: true, enabled: false } } },
  { name: one.sale.brand.example,
    layers: true,
    labels: { season: summer } }]
`;

function byListing(zone: string): string {
  return `--show: no file names ${zone}; \`match\` declares only zones that the service lists\n`;
}

it.for([
  {
    when: "a file names it",
    zone: "shop.example.com",
    code: 0,
    shows: ["name shop.example.com zones.yaml:3", "page_shield.settings.enabled true zones.yaml:4"],
    says: "",
  },
  {
    when: "its name fits one selector",
    zone: "www.brand.example",
    code: 0,
    shows: [
      `# priority 0: match {"name":"*.brand.example","status":"active"} (zones.yaml:5, if the listing matches)`,
      "page_shield.settings.enabled true zones.yaml:6",
    ],
    says: byListing("www.brand.example"),
  },
  {
    when: "its name fits several selectors",
    zone: "www.sale.brand.example",
    code: 0,
    shows: [
      `# priority 0: match {"name":"*.brand.example","status":"active"} (zones.yaml:5, if the listing matches)`,
      `# priority 10: match {"name":"*.sale.brand.example","plan":"enterprise"} (zones.yaml:8, profiles sale, if the listing matches)`,
      "labels.season winter zones.yaml:2  profile sale",
      "page_shield.settings.enabled false zones.yaml:11",
      "page_shield.settings.use_connection_url_path true zones.yaml:11",
    ],
    says: byListing("www.sale.brand.example"),
  },
  {
    when: "it is merged over selectors",
    zone: "one.sale.brand.example",
    code: 0,
    shows: [
      `# priority 0: match {"name":"*.brand.example","status":"active"} (zones.yaml:5, if the listing matches)`,
      `# priority 10: match {"name":"*.sale.brand.example","plan":"enterprise"} (zones.yaml:8, profiles sale, if the listing matches)`,
      "# one.sale.brand.example (zones.yaml:12)",
      "name one.sale.brand.example zones.yaml:12",
      "labels.season summer zones.yaml:14",
      "page_shield.settings.enabled false zones.yaml:11",
      "page_shield.settings.use_connection_url_path true zones.yaml:11",
    ],
    says: "",
  },
  {
    when: "nothing speaks of it",
    zone: "other.example",
    code: 1,
    shows: [],
    says: '--show: no file declares other.example; the files declare shop.example.com, match {"name":"*.brand.example","status":"active"}, match {"name":"*.sale.brand.example","plan":"enterprise"}, one.sale.brand.example\n',
  },
])(
  "validate --show prints the declaration of a zone where $when",
  async ({ zone, code, shows, says }, { expect }) => {
    await using place = await workplace();
    await place.write("zones.yaml", files);
    const ran = await place.run("validate", "zones.yaml", "--show", zone);
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code, stderr: says });
    const values = ran.stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.replace(/^([\w.]+) +(\S+) +# /, "$1 $2 "));
    expect(values.toSorted()).toEqual(shows.toSorted());
  },
);
