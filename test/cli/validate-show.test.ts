import { it } from "vitest";

import { workplace } from "../support/command-line.ts";

const files = `
zones:
  - name: shop.example.com
    page_shield: { settings: { enabled: true } }
  - match: { name: "*.brand.example", status: active }
    page_shield: { settings: { enabled: true } }
  - match: { name: "*.sale.brand.example", plan: enterprise }
    page_shield: { settings: { use_connection_url_path: true } }
`;

it.for([
  {
    when: "a file names it",
    zone: "shop.example.com",
    code: 0,
    shows: ["name shop.example.com", "page_shield.settings.enabled true"],
    says: "",
  },
  {
    when: "its name fits one selector",
    zone: "www.brand.example",
    code: 0,
    shows: [
      "match.name *.brand.example",
      "match.status active",
      "page_shield.settings.enabled true",
    ],
    says: '--show: no file names www.brand.example, but it matches match {"name":"*.brand.example","status":"active"} (zones.yaml:5); a selector declares only zones that the service lists\n',
  },
  {
    when: "its name fits several selectors",
    zone: "www.sale.brand.example",
    code: 1,
    shows: [],
    says: '--show: no file names www.sale.brand.example, but it matches match {"name":"*.brand.example","status":"active"} (zones.yaml:5) and match {"name":"*.sale.brand.example","plan":"enterprise"} (zones.yaml:7); a selector declares only zones that the service lists\n',
  },
  {
    when: "nothing speaks of it",
    zone: "other.example",
    code: 1,
    shows: [],
    says: '--show: no file declares other.example; the files declare shop.example.com, match {"name":"*.brand.example","status":"active"}, match {"name":"*.sale.brand.example","plan":"enterprise"}\n',
  },
])(
  "validate --show prints the declaration of a zone where $when",
  async ({ zone, code, shows, says }, { expect }) => {
    await using place = await workplace();
    await place.write("zones.yaml", files);
    const ran = await place.run("validate", "zones.yaml", "--show", zone);
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code, stderr: says });
    const values = [...ran.stdout.matchAll(/^(\S+) +(.+?) {2}#/gm)].map(
      ([, path = "", value = ""]) => `${path} ${value}`,
    );
    expect(values.toSorted()).toEqual(shows.toSorted());
  },
);
