import { coerceObject, coerceText, type JsonObject } from "../syntax/json.ts";
import { type KubeAnswer, type KubeClient, KubeError, answerError } from "./kube-client.ts";

/** A Lease as the API server showed it. */
export interface Lease {
  /** Who holds it; "": nobody. */
  readonly holder: string;
  /** How long its holder may hold it without a renewal; `undefined` if the Lease does not say. */
  readonly durationMs: number | undefined;
  /** How often the holder changed. */
  readonly transitions: number;
  /** Changes with every write of the object. */
  readonly version: string;
  /** Which installation holds it: owner, service address and store. */
  readonly installation: string;
  /** Who gave it back as its holder; "": nobody, or it is held again. */
  readonly releasedBy: string;
  /** Where the holder shows its status page, as it says itself; "": not known. */
  readonly page: string;
  /** The whole object: what others wrote into it stays. */
  readonly object: JsonObject;
}

/** What a candidate writes into a Lease. */
export interface Claim {
  /** "": the Lease is given back. */
  readonly holder: string;
  readonly durationMs: number;
  readonly transitions: number;
  readonly installation: string;
  /** Who gives it back; "": it is held. */
  readonly releasedBy: string;
  readonly page: string;
  /** When the holder acquired the Lease; `undefined`: the moment stays. */
  readonly acquiredAt: Date | undefined;
  /** When it is written: acquired, renewed or given back. */
  readonly now: Date;
}

/** The result of a write; `conflict`: somebody else wrote, created or removed the Lease. */
export type ClaimResult =
  | { readonly result: "written"; readonly lease: Lease }
  | { readonly result: "conflict" };

/** One Lease, wherever it is kept. Everything rejects if its keeper gives no usable answer. */
export interface LeaseStore {
  /** `undefined`: there is none. */
  read(timeoutMs: number): Promise<Lease | undefined>;
  create(claim: Claim, timeoutMs: number): Promise<ClaimResult>;
  /** Writes if nobody wrote since `lease` was read. */
  update(lease: Lease, claim: Claim, timeoutMs: number): Promise<ClaimResult>;
}

const keys = {
  installation: "zonewarden/installation",
  releasedBy: "zonewarden/released-by",
  page: "zonewarden/page",
} as const;

/** A Lease by its name, in the namespace of the client. */
export function leaseStore(name: string, kube: KubeClient): LeaseStore {
  const all = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(kube.namespace)}/leases`;
  const one = `${all}/${encodeURIComponent(name)}`;
  const metadata = { name, namespace: kube.namespace };
  return {
    read: async (timeoutMs) => {
      const answer = await kube.request({ method: "GET", path: one }, timeoutMs);
      if (answer.status === 404) return undefined;
      if (answer.status !== 200) throw answerError(`Lease ${name} cannot be read`, answer);
      return leaseIn(name, answer);
    },
    create: async (claim, timeoutMs) => {
      const body = bodyOf({ metadata }, claim);
      const answer = await kube.request({ method: "POST", path: all, body }, timeoutMs);
      return written(name, "created", answer);
    },
    update: async ({ object }, claim, timeoutMs) => {
      const body = bodyOf(object, claim);
      const answer = await kube.request({ method: "PUT", path: one, body }, timeoutMs);
      return written(name, "written", answer);
    },
  };
}

function written(name: string, verb: string, answer: KubeAnswer): ClaimResult {
  // 404: it was removed since it was read; as with a conflict, the next read decides.
  if (answer.status === 409 || (answer.status === 404 && verb === "written")) {
    return { result: "conflict" };
  }
  if (answer.status !== 200 && answer.status !== 201) {
    throw answerError(`Lease ${name} cannot be ${verb}`, answer);
  }
  return { result: "written", lease: leaseIn(name, answer) };
}

function leaseIn(name: string, { status, body }: KubeAnswer): Lease {
  const object = coerceObject(body);
  const metadata = coerceObject(object["metadata"]);
  const spec = coerceObject(object["spec"]);
  const version = coerceText(metadata["resourceVersion"]);
  const holder = spec["holderIdentity"] ?? "";
  const isLease = object["kind"] === "Lease" && metadata["name"] === name && version !== "";
  if (!isLease || typeof holder !== "string") {
    throw new KubeError(`Lease ${name}: the answer of the API server is no Lease`, status);
  }
  const [duration, transitions] = [spec["leaseDurationSeconds"], spec["leaseTransitions"]];
  const annotations = coerceObject(metadata["annotations"]);
  return {
    holder,
    durationMs: typeof duration === "number" && duration > 0 ? duration * 1_000 : undefined,
    transitions: typeof transitions === "number" ? transitions : 0,
    version,
    installation: coerceText(annotations[keys.installation]),
    releasedBy: coerceText(annotations[keys.releasedBy]),
    page: coerceText(annotations[keys.page]),
    object,
  };
}

/** The object with the claim in it. Only the fields of the claim change. */
function bodyOf(object: JsonObject, claim: Claim): JsonObject {
  const metadata = coerceObject(object["metadata"]);
  const annotations = coerceObject(metadata["annotations"]);
  return {
    ...object,
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      ...metadata,
      annotations: {
        ...annotations,
        [keys.installation]: claim.installation,
        [keys.releasedBy]: claim.releasedBy,
        [keys.page]: claim.page,
      },
    },
    spec: {
      ...coerceObject(object["spec"]),
      holderIdentity: claim.holder,
      leaseDurationSeconds: Math.max(1, Math.ceil(claim.durationMs / 1_000)),
      leaseTransitions: claim.transitions,
      renewTime: microTime(claim.now),
      ...(claim.acquiredAt === undefined ? {} : { acquireTime: microTime(claim.acquiredAt) }),
    },
  };
}

/** The API server accepts six digits after the second, no more and no less. */
function microTime(moment: Date): string {
  return moment.toISOString().replace("Z", "000Z");
}
