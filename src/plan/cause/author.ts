import type { ActorStyle, AuditActor } from "../../zone/audit-entry.ts";

/** Who made drift: a person, an API token or key, the service itself, or whoever the audit log does not name. */
export const authorKinds = ["person", "token", "service", "unnamed"] as const;

export type AuthorKind = (typeof authorKinds)[number];

/** By which way the service was changed, as its audit log says; `other` for what it does not say or is not documented. */
export const authorContexts = [
  "dash",
  "api",
  "api_key",
  "api_token",
  "oauth",
  "origin_ca_key",
  "system",
  "other",
] as const;

export type AuthorContext = (typeof authorContexts)[number];

/** Who made the drift of a change, as far as the audit log says it. */
export interface Author {
  readonly kind: AuthorKind;
  /** E-mail address or name of a token, as it may be shown; "" if it is not known or may not be shown. */
  readonly name: string;
  readonly context: AuthorContext;
  /** When the service was asked for it, by its clock. */
  readonly at: Date;
  readonly method: string;
  /** Path of the request, without base path and query. */
  readonly path: string;
  /** The service's id of the request. */
  readonly ray: string;
  /** `false`: it is possible. Others fit too, the entry does not say what it wrote, or entries are missing. */
  readonly isCertain: boolean;
  /** The fields of the change that are explained by it. */
  readonly fields: readonly string[];
}

/** The kind, name and context of an actor, written in a style. */
export function writtenActor(
  actor: AuditActor,
  style: ActorStyle,
): Pick<Author, "kind" | "name" | "context"> {
  const context = contextOf(actor);
  if (actor.email !== "") return { kind: "person", name: shownName(actor.email, style), context };
  if (actor.tokenName !== "" || actor.tokenId !== "") {
    return { kind: "token", name: shownName(actor.tokenName, style), context };
  }
  if (context === "system") return { kind: "service", name: "", context };
  return { kind: actor.type === "user" ? "person" : "unnamed", name: "", context };
}

/** The same text for entries of one actor. Actors that are not named differ by their type and context alone. */
export function actorIdentity({ type, context, email, tokenId, tokenName }: AuditActor): string {
  return JSON.stringify(email === "" ? [tokenId, tokenName, type, context] : [email]);
}

function contextOf({ type, context }: AuditActor): AuthorContext {
  if (type === "system") return "system";
  return authorContexts.find((each) => each === context) ?? "other";
}

/** A name in a style: `a…@example.com`. A masked name stays as it is. Whoever writes to the service chooses its characters. */
export function shownName(text: string, style: ActorStyle): string {
  const name = text.replaceAll(/\p{C}/gu, "");
  if (style === "none") return "";
  if (style === "full" || !name.includes("@")) return name;
  const [first = ""] = name;
  return `${first}…${name.slice(name.lastIndexOf("@"))}`;
}

/** Who made drift and how, as far as it may be shown: `alice@example.com in the dashboard`, `API token deploy`. */
export function authorName({
  kind,
  name,
  context,
}: Pick<Author, "kind" | "name" | "context">): string {
  switch (kind) {
    case "person":
      return `${name === "" ? "a person" : name}${contextWords[context]}`;
    case "token":
      return name === "" ? "an API token" : `API token ${name}`;
    case "service":
      return "the service itself";
    case "unnamed":
      return `somebody${contextWords[context]}`;
  }
}

const contextWords: Readonly<Record<AuthorContext, string>> = {
  dash: " in the dashboard",
  api: " with the API",
  api_key: " with an API key",
  api_token: " with an API token",
  oauth: " with an OAuth application",
  origin_ca_key: " with an Origin CA key",
  system: "",
  other: "",
};

/** The authors of changes; none of those for which the audit log was not asked. */
export function authorsIn(
  changes: readonly { readonly authors?: readonly Author[] | undefined }[],
): readonly Author[] {
  return changes.flatMap(({ authors = [] }) => authors);
}

/** Authors in words, each once, without moments; "" for none. */
export function namesOfAuthors(authors: readonly Author[]): string {
  const { certain, possible } = eachOnce(authors);
  return [...certain, ...possible.map((name) => `possibly ${name}`)].join(", ");
}

/** `changed by alice@example.com in the dashboard; possibly changed by API token deploy`; "" for no authors. */
export function changedByText(authors: readonly Author[]): string {
  const { certain, possible } = eachOnce(authors);
  const parts = [
    ...(certain.length === 0 ? [] : [`changed by ${certain.join(" and ")}`]),
    ...(possible.length === 0 ? [] : [`possibly changed by ${possible.join(" or ")}`]),
  ];
  return parts.join("; ");
}

/** The names of authors; who is certain once is not possible too. */
function eachOnce(authors: readonly Author[]): {
  readonly certain: readonly string[];
  readonly possible: readonly string[];
} {
  const certain = new Set(authors.filter(({ isCertain }) => isCertain).map(authorName));
  const possible = new Set(authors.map(authorName)).difference(certain);
  return { certain: [...certain], possible: [...possible] };
}
