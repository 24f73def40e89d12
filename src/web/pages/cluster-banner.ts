import { html, type Html } from "../../render/html.ts";
import type { ClusterStatus } from "../../state/daemon-status.ts";
import { foreign } from "./page-parts.ts";

/** Another process works, or this one cannot begin; `undefined`: there is nothing to say. */
export function clusterBanner(cluster: ClusterStatus): Html | undefined {
  const { lease, identity, isHeld, holder, page, works, failure } = cluster;
  const why = failure !== undefined && html` The last request about the Lease failed: ${failure}.`;
  if (works && failure === undefined) return undefined;
  if (works || isHeld) {
    const what = works ? "works" : "waits for the state, which it cannot read yet";
    return html`<p class="banner" role="status">
      <strong>This process holds the Lease ${lease}, and ${what}.</strong>${why}
    </p>`;
  }
  const who = page === "" ? foreign(holder) : html`<a href="${page}">${foreign(holder)}</a>`;
  const leader =
    holder === ""
      ? html`<strong>Nobody holds the Lease ${lease}.</strong>`
      : html`<strong>${who} holds the Lease ${lease}.</strong>`;
  return html`<p class="banner" role="status">
    ${leader} This process, ${identity}, waits for it. The zones are on the pages of the
    holder.${why}
  </p>`;
}
