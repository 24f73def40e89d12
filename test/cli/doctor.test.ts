import { readFile } from "node:fs/promises";
import path from "node:path";

import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, it } from "vitest";

import { nodeNamedFiles } from "../../src/host/named-files.ts";
import { examined, secret, type SetUp, without, withoutState } from "../support/doctor-set-up.ts";
import { control } from "../support/example.ts";
import { freeLease, leasePath, startKubeApi } from "../support/kube-api.ts";
import { lagging, misconfigurations, trusting } from "../support/misconfigurations.ts";
import { installation, noPostgres, sharedPostgres } from "../support/postgres.ts";

function problemsIn(stdout: string): readonly string[] {
  return stdout.split("\n").filter((line) => /^(error|warning) /.test(line));
}

function edited({ emulator }: SetUp, body: object): Promise<void> {
  return control({ emulator }, "edit", { zone: "blog.example.com", ...body });
}

function measuring(healthy: string): string {
  return `${healthy}measurements: {}\n`;
}

describe("doctor", () => {
  it("finds nothing in a healthy set-up", async ({ expect }) => {
    const { code, stdout, stderr, methods } = await examined({});
    expect({ code, stderr, problems: problemsIn(stdout) }).toEqual({
      code: 0,
      stderr: "",
      problems: [],
    });
    expect(stdout).not.toContain("skipped");
    expect(stdout).toMatch(/\nNo problem found\.\n$/);
    expect(methods).toEqual(["GET"]);
  });

  it("reads the audit log only where the daemon follows it", async ({ expect }) => {
    const followed = await examined({
      config: (healthy) => `${healthy}audit: { enabled: true }\n`,
    });
    expect(problemsIn(followed.stdout)).toEqual([]);
    expect(followed.stdout).toMatch(/^ok +permissions .*, Account Settings: Read$/m);
    const { stdout } = await examined({ token: without("Account Settings Read") });
    expect(problemsIn(stdout)).toEqual([]);
  });

  it("reads the analytics only where something is measured", async ({ expect }) => {
    const config = measuring;
    const permitted = await examined({ config });
    expect(problemsIn(permitted.stdout)).toEqual([]);
    expect(permitted.stdout).toMatch(/^ok +permissions .*, Analytics: Read$/m);
    expect(permitted.methods).toEqual(["GET", "POST"]);
    const denied = await examined({ config, token: without("Analytics Read") });
    expect(denied.stdout).toContain("give the token the permission Analytics: Read");
    expect(denied.stdout).toContain("until then, nothing is measured");
    const { stdout } = await examined({ token: without("Analytics Read") });
    expect(problemsIn(stdout)).toEqual([]);
  });

  it("compares the versions of entry points, and names the setting", async ({ expect }) => {
    const agreeing = await examined({});
    expect(agreeing.stdout).toMatch(
      /^ok +ruleset versions +the list of rulesets shows the version of 1 entry point of 1 zone: api\.ruleset_versions: trust would save requests$/m,
    );
    const trusted = await examined({ config: trusting });
    expect(trusted.stdout).toMatch(/of 1 zone: as api\.ruleset_versions: trust needs it$/m);
    const differing = await examined({ plant: lagging });
    expect(differing.stdout).toMatch(
      /^ok +ruleset versions +.*: blog\.example\.com http_request_firewall_managed; api\.ruleset_versions must stay read$/m,
    );
    const none = await examined({ zones: "zones: [{ name: shop.example.com }]\n" });
    expect(none.stdout).toMatch(/^ok +ruleset versions +no zone declares rules$/m);
  });

  it("compares the versions of custom rulesets too", async ({ expect }) => {
    const zones = `zones:
  - name: blog.example.com
    custom_rulesets: [{ key: team, rules: [{ key: bots, expression: cf.client.bot, action: log }] }]
`;
    const phase = "http_request_firewall_custom";
    const description = "[zonewarden:team]";
    const made = (setUp: SetUp): Promise<void> =>
      edited(setUp, { ruleset: { name: "team", kind: "custom", phase, description } });
    const agreeing = await examined({ zones, config: trusting, plant: made });
    expect(agreeing.stdout).toMatch(
      /^ok +ruleset versions .* of 1 entry point and the custom rulesets of 1 zone: as /m,
    );
    const differing = await examined({
      zones,
      config: trusting,
      plant: async (setUp) => {
        await made(setUp);
        await control(setUp, "clock", { advance: "2h" });
        const rule = { action: "log", expression: "ssl", description: "New" };
        await edited(setUp, { rule, ruleset: "team" });
        await control(setUp, "faults", { fault: "stale", seconds: 3_600, path: "*/rulesets" });
      },
    });
    expect(differing.stdout).toMatch(
      /^error +ruleset versions .*than the ruleset itself: blog\.example\.com custom rulesets$/m,
    );
  });

  it("makes neither the state directory nor the history", async ({ expect }) => {
    let directory = "";
    const plant = ({ place }: SetUp): Promise<void> => {
      ({ directory } = place);
      return place.write("var/keep", "");
    };
    let seen: unknown;
    const namedFiles = {
      ...nodeNamedFiles,
      checkWritable: async (place: string, kind: "file" | "directory") => {
        await nodeNamedFiles.checkWritable(place, kind);
        seen = await readFile(path.join(directory, "var/state"), "utf8").catch(String);
      },
    };
    const { code } = await examined({ plant, ports: { namedFiles } });
    expect(code).toBe(0);
    expect(seen).toContain("ENOENT");
  });

  it.for(misconfigurations)("names the remedy when $when", async (planted, { expect }) => {
    const { stdout, stderr, code, methods } = await examined(planted);
    expect(stdout).toMatch(planted.says);
    const lines = stdout.split("\n");
    const at = lines.findIndex((line) => planted.says.test(line));
    expect(lines[at + 1]).toMatch(/^ +To mend it: /);
    expect(lines[at + 1]).toMatch(planted.remedy);
    expect(code).toBe(planted.code);
    expect(stdout + stderr).not.toContain(secret);
    expect(methods.filter((method) => method !== "GET")).toEqual([]);
  });

  it.skipIf(noPostgres)(
    `says which object of the cluster it may not read, and writes none ${noPostgres ?? ""}`,
    async ({ expect }) => {
      await using kube = await startKubeApi();
      const { url } = await installation();
      const set = {
        config: (healthy: string) =>
          `${withoutState(healthy)}store: { postgres: { url_file: url } }\ncluster: { kubeconfig: kube.yaml }\n`,
        plant: async ({ place }: SetUp) => {
          await place.write("kube.yaml", kube.kubeconfig);
          await place.write("url", url);
        },
      };
      const healthy = await examined(set);
      expect(problemsIn(healthy.stdout)).toEqual([]);
      kube.denied.add("create");
      expect((await examined(set)).stdout).toMatch(
        /^error +cluster +zonewarden may not create the Lease zonewarden$/m,
      );
      // The right to create one is not needed any more.
      kube.edit(leasePath, freeLease);
      expect(problemsIn((await examined(set)).stdout)).toEqual([]);
      kube.denied.add("update");
      expect((await examined(set)).stdout).toMatch(
        /^error +cluster +zonewarden may not update the Lease zonewarden$/m,
      );
      kube.fault = (_method, where) => (where.includes("/leases/") ? { status: 403 } : undefined);
      const { code, stdout } = await examined(set);
      expect(code).toBe(1);
      expect(stdout).toMatch(/^error +cluster +Lease zonewarden cannot be read: .*403/m);
      const [, file = ""] = /with the rights in ([^,]*),/.exec(stdout) ?? [];
      expect(await readFile(file, "utf8")).toContain("leases");
      expect([...kube.objects.keys()]).toEqual([leasePath]);
    },
  );

  it.skipIf(noPostgres).for([
    {
      when: "cannot be written",
      sql: (name: string) => `ALTER DATABASE ${name} SET default_transaction_read_only = on`,
      says: /^error +store .*read-only replica, or default_transaction_read_only is on: name the primary in the URL, or set it to off$/m,
    },
    {
      when: "can be read only",
      role: "reader",
      sql: (name: string) => `CREATE ROLE ${name}_reader LOGIN;
GRANT USAGE ON SCHEMA zonewarden TO ${name}_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA zonewarden TO ${name}_reader`,
      code: 0,
      says: /^warning +store .*: readable, and this user may not write it \(it has no right to\)/m,
    },
    {
      when: "has tables of a newer program",
      sql: () => "UPDATE zonewarden.installation SET version = 99",
      says: /^error +store .*this program knows up to \d+\n +To mend it: use the version/m,
    },
  ])(`says that the database $when ${noPostgres ?? ""}`, async (row, { expect }) => {
    const { url, name } = await installation();
    const server = await sharedPostgres();
    await server.query(row.sql(name), name);
    const { code, stdout } = await examined({
      config: (healthy) => `${withoutState(healthy)}store: { postgres: { url_file: url } }\n`,
      plant: ({ place }) =>
        place.write("url", row.role === undefined ? url : server.url(name, `${name}_${row.role}`)),
    });
    expect(code).toBe(row.code ?? 1);
    expect(stdout).toMatch(row.says);
  });

  it("prints JSON that its schema accepts", async ({ expect }) => {
    const schema: unknown = JSON.parse(await readFile("schemas/doctor.schema.json", "utf8"));
    const ajv = new Ajv2020({ strict: false });
    const validate = ajv.compile<object>(schema instanceof Object ? schema : {});
    for (const planted of [{}, { env: {} }, { token: without("Zone WAF Read") }]) {
      const { stdout, code } = await examined(planted, "--format", "json");
      const report: unknown = JSON.parse(stdout);
      validate(report);
      expect(validate.errors).toBe(null);
      expect(report).toMatchObject({ errors: code });
    }
  });
});
