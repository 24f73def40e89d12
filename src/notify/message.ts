import { createHmac } from "node:crypto";

import { EnvHttpProxyAgent, request } from "undici";

import { authorName, shownName } from "../plan/cause/author.ts";
import type { ActorStyle } from "../zone/audit-entry.ts";
import type { ProxySettings } from "../zone/proxy.ts";
import type { Notification } from "./notification.ts";

export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Who sends a notification. */
export interface Sender {
  readonly instance: string;
  /** Address of the status page, without a slash at its end; "": none is known. */
  readonly page: string;
}

/** The page of what a notification is about; `undefined`: none is known. */
function linkOf({ zone }: Notification, { page }: Sender): string | undefined {
  if (page === "") return undefined;
  return zone === "" ? `${page}/` : `${page}/zones/${encodeURIComponent(zone)}`;
}

/** A notification in the format of a sink, signed unless `secret` is "". */
export function messageOf(
  { type, actors }: { readonly type: SinkType; readonly actors: ActorStyle },
  notification: Notification,
  sender: Sender,
  secret: string,
): Message {
  const body = JSON.stringify(bodies[type](withNames(notification, actors), sender));
  // Headers as in Flux's notification-controller, so that receivers of Flux events accept them.
  const base = { "content-type": "application/json", "gotk-component": "zonewarden" };
  if (secret === "") return { headers: base, body };
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  return { headers: { ...base, "x-signature": `sha256=${signature}` }, body };
}

/** The notification with people written in a style; what it was made with may show less already. */
function withNames(notification: Notification, style: ActorStyle): Notification {
  const written = (notification.authors ?? [])
    .map((author) => {
      const name = shownName(author.name, style);
      return { known: authorName(author), shown: authorName({ ...author, name }) };
    })
    // A name can be the beginning of another.
    .toSorted((a, b) => b.known.length - a.known.length)
    .reduce((text, { known, shown }) => text.replaceAll(known, shown), notification.message);
  return { ...notification, message: written };
}

const bodies = { webhook: fluxEvent, slack: slackMessage, teams: teamsMessage } as const;

export type SinkType = keyof typeof bodies;

/** The fields of fluxcd/pkg apis/event/v1beta1. */
function fluxEvent(notification: Notification, sender: Sender): object {
  const { zone, severity, at, message, reason } = notification;
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
    metadata: { ...metadataOf(notification), page: linkOf(notification, sender) },
    reportingController: "zonewarden",
    reportingInstance: sender.instance,
  };
}

function metadataOf({ revision, commit, run }: Notification): Readonly<Record<string, string>> {
  const known = { revision: revision || undefined, commit, run };
  return Object.fromEntries(
    Object.entries(known).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function slackMessage(notification: Notification, sender: Sender): object {
  const { zone, severity, message, reason } = notification;
  return {
    attachments: [
      {
        color: severity === "error" ? "danger" : "good",
        author_name: zone === "" ? "zonewarden" : `zonewarden: ${zone}`,
        fallback: `${zone} ${reason}`.trim(),
        title: reason,
        title_link: linkOf(notification, sender),
        text: slackText(message),
        mrkdwn_in: [],
        fields: Object.entries(metadataOf(notification)).map(([title, value]) => ({
          title,
          value: slackText(value),
          short: true,
        })),
      },
    ],
  };
}

/** Escapes Slack's control characters: no text becomes a link or a mention. */
function slackText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** An adaptive card for Teams workflows. */
function teamsMessage(notification: Notification, sender: Sender): object {
  const { zone, severity, message, reason } = notification;
  const url = linkOf(notification, sender);
  const metadata = Object.entries(metadataOf(notification));
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
            { type: "FactSet", facts: metadata.map(([title, value]) => ({ title, value })) },
          ],
          actions: url === undefined ? [] : [{ type: "Action.OpenUrl", title: "Status page", url }],
        },
      },
    ],
  };
}

/** Escapes the Markdown of cards: no text becomes a link or a mention. */
function plain(text: string): string {
  return text.replaceAll(/([[\]<>*_`])/g, "\\$1");
}

const timeoutMs = 10_000;

/** Posts a message once, and resolves with the status of the answer. Redirects are not followed. */
export type Post = (url: string, message: Message, signal: AbortSignal) => Promise<number>;

/** Posts through a proxy, if there is one. */
export function postThrough(proxy: ProxySettings): Post {
  const dispatcher = new EnvHttpProxyAgent({ ...proxy });
  return async (url, message, signal) => {
    const { statusCode, body } = await request(url, {
      dispatcher,
      method: "POST",
      headers: message.headers,
      body: message.body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    await body.dump();
    return statusCode;
  };
}
