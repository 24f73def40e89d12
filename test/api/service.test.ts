import { describe, it } from "vitest";

import { AuditReader } from "../../src/api/audit-reader.ts";
import {
  createInventory,
  createPruner,
  createReader,
  createRulesets,
  credentialFor,
  type Service,
  writeSender,
} from "../../src/api/service.ts";
import { createWriter } from "../../src/api/write/send-write.ts";
import type { RequestPriority } from "../../src/zone/ports.ts";
import { everything } from "../support/emulated.ts";
import { refuse, startServer, succeed } from "../support/http-server.ts";
import { liveZone } from "../support/model.ts";
import { connect, zone } from "../support/service.ts";
import { deployOwasp } from "../support/writes.ts";

const shop = zone();
const scope = { level: "zone", zone: shop } as const;
const putEntrypoint = {
  call: "put-entrypoint",
  phase: "managed_rules",
  rules: [deployOwasp],
  changes: [],
} as const;
const window = { since: new Date(0), before: new Date(3_600_000) };

/** Each use of the service, and the priority of its requests. */
const uses: readonly {
  use: string;
  priority: RequestPriority;
  run: (service: Service, signal: AbortSignal) => Promise<unknown>;
}[] = [
  {
    use: "the listing of zones",
    priority: "sweep",
    run: (service, signal) => createReader(service).listZones(signal),
  },
  {
    use: "the verification of tokens",
    priority: "inventory",
    run: (service, signal) => createReader(service).verifyTokens([shop], signal),
  },
  {
    use: "a read of a changed zone",
    priority: "changed",
    run: (service, signal) => createReader(service).readZone(shop, everything, "changed", signal),
  },
  {
    use: "a read of its scripts",
    priority: "changed",
    run: (service, signal) => createReader(service).readScripts(shop, "changed", signal),
  },
  {
    use: "a list of the inventory",
    priority: "inventory",
    run: (service, signal) => createInventory(service).list(shop, "cookie", {}, signal),
  },
  {
    use: "a read of an item",
    priority: "inventory",
    run: (service, signal) => createInventory(service).read(shop, "script", "s1", signal),
  },
  {
    use: "a read of rulesets",
    priority: "sweep",
    run: (service, signal) => createRulesets(service, "sweep").list(scope, signal),
  },
  {
    use: "the deletion of a version",
    priority: "write",
    run: (service, signal) => createPruner(service).prune(scope, "e1", "1", signal),
  },
  {
    use: "a write",
    priority: "write",
    run: (service, signal) =>
      createWriter(writeSender(service)).write(
        liveZone({ zone: shop }),
        putEntrypoint,
        signal,
        signal,
      ),
  },
  {
    use: "the check of a write",
    priority: "write",
    run: (service, signal) =>
      createWriter(writeSender(service)).check(liveZone({ zone: shop }), putEntrypoint, signal),
  },
];

/** The priorities at which a service asks its request budget for permits, one after the other. */
function prioritiesOf({ sessions }: Service): readonly RequestPriority[] {
  const priorities: RequestPriority[] = [];
  for (const { credential } of sessions) {
    const { budget } = credential;
    const acquire = budget.acquire.bind(budget);
    Object.assign(budget, {
      acquire: (priority: RequestPriority, signal: AbortSignal) => {
        priorities.push(priority);
        return acquire(priority, signal);
      },
    });
  }
  return priorities;
}

describe("the priority of the requests", () => {
  it.for(uses)("of $use is $priority", async ({ priority, run }, { expect, signal }) => {
    await using server = await startServer((_seen, response) => refuse(response, 403));
    await using connected = connect(server.baseUrl);
    const priorities = prioritiesOf(connected.service);
    await run(connected.service, signal).catch(() => undefined);
    expect(server.seen).not.toEqual([]);
    expect(new Set(priorities)).toEqual(new Set([priority]));
  });

  it("of an audit log is that of a changed zone", async ({ expect, signal }) => {
    await using server = await startServer((_seen, response) => succeed(response, []));
    await using connected = connect(server.baseUrl);
    connected.session.credential.noteTokenId("t1");
    const priorities = prioritiesOf(connected.service);
    await new AuditReader(connected.service).readAll([shop], window, signal);
    expect(priorities).toEqual(["changed"]);
  });
});

function wireZone(id: string, name: string): object {
  return { id: id.repeat(32), name, account: { id: "acc1", name: "Shops" } };
}

describe("the zones of several credentials", () => {
  const listed = [
    wireZone("3", "shop.example"),
    wireZone("1", "shop.example"),
    wireZone("2", "brand.example"),
    wireZone("4", "foreign.test"),
    wireZone("0", "shop.example"),
  ];

  it("are those that a credential serves, once each, by name and id", async ({
    expect,
    signal,
  }) => {
    await using server = await startServer((_seen, response) => succeed(response, listed));
    await using connected = connect(server.baseUrl, {
      credentials: [
        { name: "shops", zones: ["shop.*"] },
        { name: "all", zones: ["*.example"] },
      ],
    });
    const { zones, failed } = await createReader(connected.service).listZones(signal);
    expect(zones.map(({ id, name }) => `${name} ${id[0]}`)).toEqual([
      "brand.example 2",
      "shop.example 0",
      "shop.example 1",
      "shop.example 3",
    ]);
    expect(failed).toEqual([]);
    const names = zones.map((one) => credentialFor(connected.service, one)?.name);
    expect(names).toEqual(["all", "shops", "shops", "shops"]);
    const foreign = zone("foreign.test");
    expect(credentialFor(connected.service, foreign)).toBeUndefined();
  });

  it("are no listing where the caller gives up on one of them", async ({ expect }) => {
    const stop = new AbortController();
    await using server = await startServer((_seen, response, nth) => {
      if (nth === 1) succeed(response, listed.slice(0, 1), {}, { total_count: 1 });
    });
    await using connected = connect(server.baseUrl, { credentials: [{}, { name: "second" }] });
    const listing = createReader(connected.service).listZones(stop.signal);
    while (connected.requests.length === 0 || server.seen.length < 2) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    stop.abort(new Error("shutdown"));
    await expect(listing).rejects.toMatchObject({ message: "shutdown" });
  });
});
