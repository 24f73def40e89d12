import { createHmac } from "node:crypto";

import { describe, it } from "vitest";

import { messageOf } from "../../src/notify/message.ts";
import { shop } from "../support/fleets.ts";
import { notification } from "../support/receiver.ts";

const webhook = { type: "webhook", actors: "full" } as const;

const from = { instance: "pod-1", page: "" };

describe("a message", () => {
  it("has the fields of Flux's event, and a signature of its body", ({ expect }) => {
    const { headers, body } = messageOf(webhook, notification, from, "key");
    expect(JSON.parse(body)).toEqual({
      involvedObject: {
        apiVersion: "zonewarden/v1",
        kind: "Zone",
        namespace: "zonewarden",
        name: shop,
      },
      severity: "error",
      timestamp: "2026-11-21T10:01:00.000Z",
      message: notification.message,
      reason: "DriftDetected",
      metadata: { revision: "8c9b6cf", run: "run-1" },
      reportingController: "zonewarden",
      reportingInstance: "pod-1",
    });
    const signature = createHmac("sha256", "key").update(body).digest("hex");
    expect(headers).toMatchObject({
      "gotk-component": "zonewarden",
      "x-signature": `sha256=${signature}`,
    });
  });

  it("has Git's name for the revision where there is one", ({ expect }) => {
    const { body } = messageOf(webhook, { ...notification, commit: "unknown" }, from, "");
    expect(JSON.parse(body)).toMatchObject({
      metadata: { revision: "8c9b6cf", commit: "unknown", run: "run-1" },
    });
  });

  it.for(["slack", "teams", "webhook"] as const)(
    "for %s links to the page of its zone, where an address is known",
    (type, { expect }) => {
      const page = "https://zonewarden.example.com";
      const sink = { type, actors: "full" } as const;
      const bodyOf = (zone: string): string =>
        messageOf(sink, { ...notification, zone }, { ...from, page }, "").body;
      expect(bodyOf(shop)).toContain(`"${page}/zones/${shop}"`);
      expect(bodyOf("")).toContain(`"${page}/"`);
      expect(messageOf(sink, notification, from, "").body).not.toMatch(/zones\/|OpenUrl/);
    },
  );

  it("is not signed where there is no key", ({ expect }) => {
    expect(messageOf(webhook, notification, from, "").headers).not.toHaveProperty("x-signature");
  });

  it.for(["slack", "teams"] as const)(
    "for %s calls nobody and links nowhere",
    (type, { expect }) => {
      const hostile = {
        ...notification,
        message: "<!channel> <https://evil.example|ok> [ok](https://evil.example)",
      };
      const { body } = messageOf({ type, actors: "full" }, hostile, from, "");
      expect(body).toContain(shop);
      if (type === "slack") expect(body).not.toMatch(/<[!@h]/);
      else expect(body).not.toContain("[ok]");
    },
  );
});
