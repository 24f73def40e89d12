import { type Hold, holdFacts, type HoldReason } from "./hold.ts";

/** What a zone has to pass before it is written, in the order in which it is asked. */
export const writeLinks = [
  "mode",
  "suspension",
  "window",
  "guards",
  "fleet",
  "lease",
  "read",
  "budget",
] as const;

export type WriteLink = (typeof writeLinks)[number];

/** What else holds back a zone: a reason for each link, `undefined` if nothing does. */
type OtherReasons = Readonly<Record<"fleet" | "lease" | "read" | "budget", string | undefined>>;

/** What the answer follows from. */
export interface WriteFacts extends Partial<OtherReasons> {
  /** What holds the plan of the zone. */
  readonly holds: readonly Hold[];
  /** What holds a revision that changes the zone, or lets it wait for its wave, while what is in force is still written. */
  readonly revision?: Hold | undefined;
  /** Files of the zone that have errors: their last good version is in force, and still written. */
  readonly brokenFiles?: readonly string[] | undefined;
  /** Links that nobody can be asked about here. */
  readonly unknown?: readonly WriteLink[];
}

/** What one link of the chain says. */
export interface LinkAnswer {
  readonly link: WriteLink;
  /** `partly`: it blocks what a held or broken revision or one that waits for its wave changes, and nothing else. */
  readonly answer: "passed" | "partly" | "blocked" | "unknown";
  /** Why it blocks, and what; "" if it does not. */
  readonly reason: string;
  /** What a person can do; "" if it does not block. */
  readonly remedy: string;
}

/**
 * The one answer to "may this zone be written now?": what each link says, in order. A zone is written if none blocks. To
 * ask changes nothing.
 */
export function mayWrite(facts: WriteFacts): readonly LinkAnswer[] {
  return writeLinks.map((link) => {
    const hold = facts.holds.find(({ reason }) => linkOf(reason) === link);
    const block =
      hold === undefined
        ? otherBlock(link, facts)
        : { reason: hold.message, remedy: plain(holdFacts(hold.reason).remedy) };
    if (block !== undefined) return { link, answer: "blocked", ...block };
    if (link === "fleet" && facts.revision !== undefined) {
      const { reason: why, message } = facts.revision;
      const reason = `${message}; what it changes here waits, and drift from what is in force is corrected`;
      return { link, answer: "partly", reason, remedy: plain(holdFacts(why).remedy) };
    }
    if (link === "fleet" && facts.brokenFiles !== undefined) {
      const reason = `${facts.brokenFiles.join(", ")} has errors: the last good version is in force, and drift from it is corrected`;
      return { link, answer: "partly", reason, remedy: brokenRemedy };
    }
    const answer = facts.unknown?.includes(link) === true ? "unknown" : "passed";
    return { link, answer, reason: "", remedy: "" };
  });
}

/** The first link that blocks; `undefined`: the zone may be written. */
export function firstBlock(answers: readonly LinkAnswer[]): LinkAnswer | undefined {
  return answers.find(({ answer }) => answer === "blocked");
}

/** The link that blocks a plan with a hold. */
export function linkOf(reason: HoldReason): WriteLink {
  return ownLinks[reason] ?? "guards";
}

const ownLinks: Readonly<Partial<Record<HoldReason, WriteLink>>> = {
  observe: "mode",
  suspend: "suspension",
  freeze: "window",
  fleet_change: "fleet",
  wave: "fleet",
};

const remedies: Readonly<Record<keyof OtherReasons, string>> = {
  fleet: holdFacts("fleet_change").remedy,
  lease: "Ask the process that holds the Lease. If none holds it, wait: one of them takes it.",
  read: "Wait for the next run, which reads the zone again. If reading fails, mend what the reason names.",
  budget: "Wait. If the service allows more requests, raise `budget.requests`.",
};

const brokenRemedy = "Mend the file; zonewarden validate prints its errors.";

function otherBlock(
  link: WriteLink,
  facts: WriteFacts,
): Pick<LinkAnswer, "reason" | "remedy"> | undefined {
  if (!isOther(link)) return undefined;
  const reason = facts[link];
  return reason === undefined ? undefined : { reason, remedy: plain(remedies[link]) };
}

/** The remedies are Markdown; terminals and pages show text. */
function plain(remedy: string): string {
  return remedy.replaceAll("`", "");
}

function isOther(link: WriteLink): link is keyof OtherReasons {
  return link in remedies;
}
