import {
  type ClusterStatus,
  type DaemonStatus,
  isWorking,
  leaseFailureIn,
  type ShardStatus,
} from "../../state/daemon-status.ts";
import { html, type Html, type Part } from "./html.ts";
import { counted, foreign, panel } from "./page-parts.ts";

/** Other processes work, or this one cannot begin; `undefined`: there is nothing to say. */
export function clusterBanner(daemon: Pick<DaemonStatus, "cluster">): Html | undefined {
  const { cluster } = daemon;
  const [shard] = cluster?.shards ?? [];
  if (cluster === undefined || shard === undefined) return undefined;
  if (shard.credential !== undefined) return shardsBanner(cluster);
  const { lease, isHeld, holder, works, failure } = shard;
  if (works && failure === undefined) return undefined;
  if (works || isHeld) {
    const what = works ? "works" : "waits for the state, which it cannot read yet";
    return html`<p class="banner" role="status">
      <strong>This process holds the Lease ${lease}, and ${what}.</strong>${whyOf(failure)}
    </p>`;
  }
  const leader =
    holder === ""
      ? html`<strong>Nobody holds the Lease ${lease}.</strong>`
      : html`<strong>${holderLink(shard)} holds the Lease ${lease}.</strong>`;
  return html`<p class="banner" role="status">
    ${leader} This process, ${cluster.identity}, waits for it. The zones are on the pages of the
    holder.${whyOf(failure)}
  </p>`;
}

function shardsBanner(cluster: ClusterStatus): Html | undefined {
  const { identity, shards } = cluster;
  const failure = leaseFailureIn(cluster);
  const waiting = shards.filter(({ isHeld, works }) => isHeld && !works);
  const free = shards.filter(({ holder }) => holder === "");
  if (isWorking({ cluster }) && failure === undefined && waiting.length + free.length === 0) {
    return undefined;
  }
  const own = shards.filter(({ works }) => works).length;
  return html`<p class="banner" role="status">
    <strong
      >This process, ${identity}, works on ${own} of ${counted(shards.length, "shard")}.</strong
    >
    ${waiting.length > 0 && html`${counted(waiting.length, "shard")} of it cannot begin yet: the state cannot be read.`}
    ${free.length > 0 && html`Nobody holds ${counted(free.length, "shard")}.`}${whyOf(failure)}
  </p>`;
}

function whyOf(failure: string | undefined): Part {
  return failure !== undefined && html` The last request about a Lease failed: ${failure}.`;
}

/** The holder of a Lease, with a link to its pages where they are known. */
function holderLink({ holder, page }: ShardStatus): Part {
  return page === "" ? foreign(holder) : html`<a href="${page}">${foreign(holder)}</a>`;
}

/** Which process holds which shard; `undefined` where one works on all zones. */
export function shardPanel(cluster: ClusterStatus | undefined): Html | undefined {
  const shards = cluster?.shards.filter(({ credential }) => credential !== undefined) ?? [];
  if (shards.length === 0) return undefined;
  return panel("shards", "Shards", html`<dl>${shards.map(shardItem)}</dl>`);
}

function shardItem(shard: ShardStatus): Html {
  const { credential, holder, isHeld, works } = shard;
  const others = holder === "" ? html`nobody` : holderLink(shard);
  const who = isHeld ? html`this process` : others;
  return html`<dt>${credential}</dt>
    <dd>${who}${isHeld && !works && html`, which waits for the state`}</dd>`;
}
