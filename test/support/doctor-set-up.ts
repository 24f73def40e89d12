import type { SeedToken } from "../../src/emulator/seed/seed.ts";
import type { Emulator } from "../../src/emulator/start-emulator.ts";
import type { Host } from "../../src/host/host.ts";
import { type Ran, type Workplace, workplace } from "./command-line.ts";
import { loopbackEmulator } from "./loopback-emulator.ts";

/** The token of the set-up: no output may show it. */
export const secret = "planted-token-0123456789";

export const zoneFile = `zones:
  - name: shop.example.com
    page_shield: { settings: { enabled: true } }
  - name: blog.example.com
    managed_rules: { rules: [{ key: owasp, deploy: owasp, paranoia_level: 1 }] }
`;

export interface SetUp {
  readonly place: Workplace;
  readonly emulator: Emulator;
}

/** How a set-up differs from a healthy one. */
export interface Planted {
  readonly token?: Partial<SeedToken>;
  readonly env?: Host["env"];
  readonly ports?: Partial<Host>;
  /** The lines of `zonewarden.yaml`, in place of or beside those of a healthy set-up. */
  readonly config?: (healthy: string, url: string) => string;
  /** Zone files, in place of those of a healthy set-up. */
  readonly zones?: string;
  /** Something else that is wrong. */
  readonly plant?: (setUp: SetUp) => Promise<unknown>;
}

/** A set-up that works, apart from what is planted, and what `doctor` says about it. */
export async function examined(planted: Planted, ...flags: readonly string[]): Promise<Examined> {
  await using emulator = await loopbackEmulator({
    tokens: [{ name: "main", value: secret, permissions: "all", ...planted.token }],
    zones: [{ name: "shop.example.com" }, { name: "blog.example.com" }],
  });
  const env = planted.env ?? { ZONEWARDEN_API_TOKEN: secret };
  await using place = await workplace(env, planted.ports);
  const healthy = `mode: enforce
api: { base_url: "${emulator.baseUrl}" }
store: { path: var/state }
`;
  const config = planted.config?.(healthy, emulator.baseUrl) ?? healthy;
  await place.write("zonewarden.yaml", config);
  await place.write("zones/shop.yaml", planted.zones ?? zoneFile);
  await planted.plant?.({ place, emulator });
  const ran = await place.run("doctor", ...flags);
  const methods = new Set(emulator.journal().map(({ method }) => method));
  return { ...ran, methods: [...methods] };
}

interface Examined extends Ran {
  /** Methods of the requests that the emulator saw. */
  readonly methods: readonly string[];
}

/** A configuration without the directories that a healthy one has. */
export function withoutState(healthy: string): string {
  return healthy.replaceAll(/^store:.*\n/gm, "");
}

const granted = [
  "Zone Read",
  "Page Shield Read",
  "Zone WAF Read",
  "Account WAF Read",
  "Account Settings Read",
];

/** A token with every read permission but one. */
export function without(permission: string): Partial<SeedToken> {
  return { permissions: granted.filter((each) => each !== permission) };
}
