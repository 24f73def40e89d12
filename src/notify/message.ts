import { createHmac } from "node:crypto";

import { request } from "undici";

import type { Notification } from "./notification.ts";

/** A form that a notice can be sent in. */
export type SinkType = "webhook" | "slack" | "teams";

/** What is posted: a body, and what says of it. */
export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A notice as a sink of some type takes it; `secret` signs it where there is one. */
export function messageOf(
  type: SinkType,
  notice: Notification,
  instance: string,
  secret: string,
): Message {
  switch (type) {
    case "webhook":
      return signed(JSON.stringify(fluxEvent(notice, instance)), secret);
    case "slack":
      return signed(JSON.stringify(slackMessage(notice)), secret);
    case "teams":
      return signed(JSON.stringify(teamsMessage(notice)), secret);
  }
}

/** Headers as Flux's own notifications have them, so that a receiver of those understands ours. */
function signed(body: string, secret: string): Message {
  const base = { "content-type": "application/json", "gotk-component": "zonewarden" };
  if (secret === "") return { headers: base, body };
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  return { headers: { ...base, "x-signature": `sha256=${signature}` }, body };
}

/** The fields of fluxcd/pkg apis/event/v1beta1. */
function fluxEvent(notice: Notification, instance: string): object {
  const { zone, severity, at, message, reason } = notice;
  return {
    involvedObject: {
      apiVersion: "zonewarden/v1",
      kind: zone === "" ? "Configuration" : "Zone",
      namespace: "zonewarden",
      name: zone === "" ? "zonewarden" : zone,
    },
    severity,
    timestamp: at.toISOString(),
    message,
    reason,
    metadata: metadataOf(notice),
    reportingController: "zonewarden",
    reportingInstance: instance,
  };
}

function metadataOf({ revision, run }: Notification): Readonly<Record<string, string>> {
  return { revision, ...(run === "" ? {} : { run }) };
}

function slackMessage(notice: Notification): object {
  const { zone, severity, message, reason } = notice;
  return {
    attachments: [
      {
        color: severity === "error" ? "danger" : "good",
        author_name: zone === "" ? "zonewarden" : `zonewarden: ${zone}`,
        fallback: `${zone} ${reason}`.trim(),
        title: reason,
        text: slackText(message),
        mrkdwn_in: [],
        fields: Object.entries(metadataOf(notice)).map(([title, value]) => ({
          title,
          value: slackText(value),
          short: true,
        })),
      },
    ],
  };
}

/** Slack's three control characters; with them gone nothing in a message is a link or calls anybody. */
function slackText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** An adaptive card, as the workflows of Teams take it. */
function teamsMessage(notice: Notification): object {
  const { zone, severity, message, reason } = notice;
  const facts = Object.entries(metadataOf(notice)).map(([title, value]) => ({ title, value }));
  return {
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          body: [
            {
              type: "TextBlock",
              size: "medium",
              weight: "bolder",
              wrap: true,
              color: severity === "error" ? "attention" : "good",
              text: plain(`${reason} ${zone}`.trim()),
            },
            { type: "TextBlock", wrap: true, text: plain(message) },
            { type: "FactSet", facts },
          ],
        },
      },
    ],
  };
}

/** Cards know some Markdown; text of others must not become a link or a mention by it. */
function plain(text: string): string {
  return text.replaceAll(/([[\]<>*_`])/g, "\\$1");
}

const timeoutMs = 10_000;

/** An answer to a message. */
export interface Posted {
  readonly status: number;
}

/** Sends a message once, over the network. Where it is sent on to is not followed. */
export async function post(url: string, message: Message, signal: AbortSignal): Promise<Posted> {
  const { statusCode, body } = await request(url, {
    method: "POST",
    headers: message.headers,
    body: message.body,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
  await body.dump();
  return { status: statusCode };
}
