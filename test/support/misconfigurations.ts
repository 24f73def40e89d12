import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";

import { systemClock } from "../../src/host/clock.ts";
import type { Host } from "../../src/host/host.ts";
import { nodeNamedFiles } from "../../src/host/named-files.ts";
import { control } from "./ask.ts";
import {
  type Planted,
  type SetUp,
  secret,
  without,
  withoutState,
  zoneFile,
} from "./doctor-set-up.ts";
import { stateOf } from "./unmarked-example.ts";
import { deployOwasp } from "./writes.ts";

function denied(code: string): Partial<Host> {
  const refusal = Object.assign(new Error(code), { code });
  const checkWritable = (): Promise<void> => Promise.reject(refusal);
  return { namedFiles: { ...nodeNamedFiles, checkWritable } };
}

function shifted(ms: number): Partial<Host> {
  return { clock: { ...systemClock, now: () => new Date(Date.now() + ms) } };
}

/** A configuration that trusts the versions of rulesets. */
export function trusting(healthy: string): string {
  return healthy.replace("api: {", "api: { ruleset_versions: trust,");
}

/** The entry point of a zone is created, and the list of its rulesets does not show it for an hour. */
export async function lagging({ emulator }: Pick<SetUp, "emulator">): Promise<void> {
  await control(emulator, "/edit", { zone: "blog.example.com", rule: deployOwasp });
  await control(emulator, "/faults", { fault: "stale", seconds: 3_600, path: "*/rulesets" });
}

/** Each is wrong in one way; `says` matches the line that names it, `remedy` the line after it. */
export const misconfigurations: readonly (Planted & {
  readonly when: string;
  readonly code: number;
  readonly says: RegExp;
  readonly remedy: RegExp;
})[] = [
  {
    when: "there is no configuration",
    plant: ({ place }) => place.remove("zonewarden.yaml"),
    code: 3,
    says: /^error +configuration +zonewarden\.yaml:1: the file cannot be read: it does not exist/m,
    remedy: /create it \(`mode: observe` is enough\), or give its path with --config/,
  },
  {
    when: "a key of the configuration is misspelt",
    config: (healthy) => `${healthy}shedule: { cron: "* * * * *" }\n`,
    code: 3,
    says: /^error +configuration +zonewarden\.yaml:4: .*shedule/m,
    remedy: /did you mean "schedule"\?/,
  },
  {
    when: "a cron expression is wrong",
    config: (healthy) => `${healthy}schedule: { cron: "61 * * * *" }\n`,
    code: 3,
    says: /^error +configuration +zonewarden\.yaml:4: .*61 \* \* \* \*/m,
    remedy: /write five fields as in/,
  },
  {
    when: "the variable of the token is not set",
    env: {},
    code: 1,
    says: /^error +token +credential default: cannot read its token: the environment has no ZONEWARDEN_API_TOKEN/m,
    remedy: /export ZONEWARDEN_API_TOKEN/,
  },
  {
    when: "the file of the token does not exist",
    config: (healthy) => `${healthy}credentials: [{ name: main, token_file: tokn }]\n`,
    code: 1,
    says: /^error +token +credential main: cannot read its token: its file cannot be read: it does not exist/m,
    remedy: /write the token to the file, or correct token_file of the credential main/,
  },
  {
    when: "the token has the word Bearer before it",
    env: { ZONEWARDEN_API_TOKEN: `Bearer ${secret}` },
    code: 1,
    says: /^error +token +credential default: the token begins with the word Bearer/m,
    remedy: /store only the token itself/,
  },
  {
    when: "the token is in quotation marks",
    env: { ZONEWARDEN_API_TOKEN: `"${secret}"` },
    code: 1,
    says: /^error +token +credential default: the token is in quotation marks/m,
    remedy: /store only the token itself/,
  },
  {
    when: "the service does not know the token",
    env: { ZONEWARDEN_API_TOKEN: `${secret}-other` },
    code: 1,
    says: /^error +token +credential default: .*Invalid access token/m,
    remedy: /check the token: it is unknown, disabled or expired/,
  },
  {
    when: "the token has expired",
    token: { expires_on: "2020-02-03T00:00:00Z" },
    code: 1,
    says: /^error +token +credential default: the token expired on 2020-02-03/m,
    remedy: /create another token/,
  },
  {
    when: "the token expires soon",
    token: { expires_on: new Date(Date.now() + 3 * 86_400_000).toISOString() },
    code: 0,
    says: /^warning +token +credential default: the token expires on \d{4}-/m,
    remedy: /create another token before that day/,
  },
  {
    when: "the token sees no zone",
    token: { zones: ["other.example"] },
    code: 1,
    says: /^error +token +credential default: the service lists no zone for it/m,
    remedy: /the permission Zone: Read for the zones, or correct `accounts` and `zones`/,
  },
  {
    when: "the token may not read Page Shield",
    token: without("Page Shield Read"),
    code: 1,
    says: /^error +permissions +credential default, blog\.example\.com: .*page_shield.*403/m,
    remedy: /give the token the permission Page Shield: Read/,
  },
  {
    when: "the token may not read the rules of zones",
    token: without("Zone WAF Read"),
    code: 1,
    says: /^error +permissions +credential default, blog\.example\.com: .*entrypoint.*403/m,
    remedy: /give the token the permission Zone WAF: Read/,
  },
  {
    when: "the token may not read the rulesets of the account",
    token: without("Account WAF Read"),
    code: 0,
    says: /^warning +permissions +credential default, blog\.example\.com: .*accounts.*403/m,
    remedy: /Account WAF: Read.*; only zonewarden rulesets --account needs it/,
  },
  {
    when: "the token may not read the audit log that the daemon follows",
    token: without("Account Settings Read"),
    config: (healthy) => `${healthy}audit: { enabled: true }\n`,
    code: 0,
    says: /^warning +permissions +credential default, blog\.example\.com: .*audit.*403/m,
    remedy: /Account Settings: Read.*; until then, only sweeps find edits by hand/,
  },
  {
    when: "nothing listens at the address",
    config: (healthy, url) => healthy.replace(url, "http://127.0.0.1:9/client/v4"),
    code: 7,
    says: /^error +service +http:\/\/127\.0\.0\.1:9\/client\/v4: .*no answer \(ECONNREFUSED\)/m,
    remedy: /check api\.base_url and the network/,
  },
  {
    when: "the path of the address is wrong",
    config: (healthy, url) => healthy.replace(url, url.replace("/client/v4", "/v4")),
    code: 1,
    says: /^error +service +http:\/\/127\.0\.0\.1:\d+\/v4: GET \/zones/m,
    remedy: /check that api\.base_url is the service's/,
  },
  {
    when: "the service fails",
    plant: ({ emulator }) =>
      control(emulator, "/faults", { fault: "status", status: 503, path: "/zones" }),
    code: 7,
    says: /^error +service +http.*: GET \/zones: 503/m,
    remedy: /run zonewarden doctor again/,
  },
  {
    when: "versions are trusted, and the token may not list the rulesets of a zone",
    config: trusting,
    plant: ({ emulator }) =>
      control(emulator, "/faults", { fault: "status", status: 403, path: "/zones/*/rulesets" }),
    code: 0,
    says: /^warning +ruleset versions +GET \/zones\/\{zone_id\}\/rulesets: 403/m,
    remedy: /give the token the permission Zone WAF: Read/,
  },
  {
    when: "versions are trusted, and the list of rulesets lags behind",
    config: trusting,
    plant: lagging,
    code: 1,
    says: /^error +ruleset versions +.*another version than the ruleset itself: blog\.example\.com http_request_firewall_managed$/m,
    remedy: /set api\.ruleset_versions to read/,
  },
  {
    when: "the clock is two hours fast",
    ports: shifted(7_200_000),
    code: 1,
    says: /^error +clock +the clock of this machine is 2 h.* ahead of that of the service/m,
    remedy: /synchronise the clock/,
  },
  {
    when: "the clock is a minute slow",
    ports: shifted(-90_000),
    code: 1,
    says: /^error +clock +the clock of this machine is .*behind that of the service/m,
    remedy: /synchronise the clock/,
  },
  {
    when: "there are no zone files",
    plant: ({ place }) => place.remove("zones"),
    code: 3,
    says: /^error +zone files +zones/m,
    remedy: /desired\.path/,
  },
  {
    when: "the zone files declare nothing",
    zones: "zones: []\n",
    code: 3,
    says: /^error +zone files +zones/m,
    remedy: /import/,
  },
  {
    when: "a zone file is invalid",
    zones: `${zoneFile}    page_sheild: {}\n`,
    code: 3,
    says: /^error +zone files +zones\/shop\.yaml:6: .*page_sheild/m,
    remedy: /page_shield/,
  },
  {
    when: "a declared zone does not exist",
    zones: zoneFile.replace("shop.example.com", "shpo.example.com"),
    code: 1,
    says: /^error +zones +zones\/shop\.yaml:2: .*shpo\.example\.com/m,
    remedy: /shop\.example\.com/,
  },
  {
    when: "a sweep takes longer than the schedule leaves",
    config: (healthy) =>
      `${healthy}budget: { requests: 40, window: 1h }\nschedule: { cron: "* * * * *" }\n`,
    code: 0,
    says: /^warning +budget +a sweep costs 3 requests, .*the schedule leaves 1 min/m,
    remedy: /sweep less often \(schedule\.cron\)/,
  },
  {
    when: "the state directory is a file",
    plant: ({ place }) => place.write("var/state", "not a directory"),
    code: 1,
    says: /^error +store +store\.path: zonewarden cannot write in .*var\/state: .*is not a directory/m,
    remedy: /set store\.path to another directory/,
  },
  {
    when: "the directories are not writable",
    ports: denied("EACCES"),
    code: 1,
    says: /^error +store +store\.path: zonewarden cannot write in .*: permission denied/m,
    remedy: /let the user that runs zonewarden write there/,
  },
  {
    when: "this user may only read the state",
    plant: ({ place, emulator }) => place.write("var/state/state.jsonl", stateOf(emulator.baseUrl)),
    ports: denied("EACCES"),
    code: 0,
    says: /^warning +store +.*var\/state: readable, and this user may not write it \(permission denied\)/m,
    remedy: /nothing, if this user only reads/,
  },
  {
    when: "another process uses the state",
    plant: ({ place }) =>
      place.write(
        "var/state/state.lock",
        JSON.stringify({ id: "a", pid: process.pid + 1, host: "here", beat: 1 }),
      ),
    code: 0,
    says: /^warning +store +.*var\/state is in use by process \d+ on here/m,
    remedy: /give each daemon a directory of its own \(store\.path\)/,
  },
  {
    when: "the state is damaged",
    plant: ({ place }) => place.write("var/state/state.jsonl", "nonsense\n"),
    code: 1,
    says: /^error +store +the state in .* cannot be used: line 1 is damaged/m,
    remedy: /restore the file from a backup/,
  },
  {
    when: "there is no state directory",
    config: withoutState,
    code: 0,
    says: /^warning +store +no store/m,
    remedy: /set store\.path/,
  },
  {
    when: "the history is a symbolic link",
    plant: async ({ place: { directory } }) => {
      await mkdir(path.join(directory, "var/state"), { recursive: true });
      await writeFile(path.join(directory, "other"), "");
      await symlink(path.join(directory, "other"), path.join(directory, "var/state/history.jsonl"));
    },
    code: 1,
    says: /^error +history +zonewarden cannot write .*: it is a symbolic link/m,
    remedy: /put a plain file/,
  },
  {
    when: "the history is a directory",
    plant: ({ place }) => place.write("var/state/history.jsonl/file", ""),
    code: 1,
    says: /^error +history +zonewarden cannot write .*: it is a directory/m,
    remedy: /put a plain file/,
  },
  {
    when: "nothing reads the inventory of declared scripts",
    zones: `zones:
  - name: shop.example.com
    page_shield: { scripts: { pages: [shop.example.com/pay] } }
  - name: blog.example.com
`,
    config: (healthy) => `${healthy}inventory: { enabled: true, kinds: [cookies] }\n`,
    code: 0,
    says: /^warning +zone files +1 zone document declares authorised scripts, and nothing checks them/m,
    remedy: /set inventory\.enabled .*, with scripts in inventory\.kinds/,
  },
  {
    when: "the URL of a notification is missing",
    config: (healthy) =>
      `${healthy}notifications: [{ name: team, type: slack, url_env: SLACK_URL }]\n`,
    code: 1,
    says: /^error +secrets +the URL of the notification team: the environment has no SLACK_URL/m,
    remedy: /export the variable where zonewarden runs/,
  },
  {
    when: "the key of saved plans is missing",
    config: (healthy) => `${healthy}plan: { verify_key: verify.pem }\n`,
    code: 1,
    says: /^error +secrets +plan\.verify_key cannot be read: it does not exist/m,
    remedy: /write the public key \(PEM\)/,
  },
  {
    when: "the process is in no cluster",
    config: (healthy) =>
      `${withoutState(healthy)}store: { postgres: { url_env: DATABASE_URL } }\ncluster: {}\n`,
    code: 1,
    says: /^error +cluster +this process does not run in a Kubernetes cluster/m,
    remedy: /correct cluster\.kubeconfig/,
  },
];
