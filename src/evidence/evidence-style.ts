import { html, type Html } from "../render/html.ts";

/** For paper and screen, black on white. Head rows repeat on each page, rows are not divided. */
export const evidenceStyle: Html = html`<style>
  @page {
    size: A4 landscape;
    margin: 14mm;
  }
  * {
    box-sizing: border-box;
  }
  body {
    margin: 0 auto;
    max-width: 1200px;
    padding: 16px;
    background: #fff;
    color: #111;
    font:
      13px/1.45 system-ui,
      "Segoe UI",
      Roboto,
      "DejaVu Sans",
      sans-serif;
  }
  h2 {
    border-bottom: 2px solid #111;
  }
  h3 {
    break-after: avoid;
  }
  dl {
    display: grid;
    grid-template-columns: max-content 1fr;
    gap: 4px 16px;
  }
  dt {
    font-weight: 600;
  }
  dd,
  ul {
    margin: 0;
  }
  ul {
    padding-left: 16px;
  }
  table {
    width: 100%;
    border-collapse: collapse;
  }
  th,
  td {
    border: 1px solid #999;
    padding: 3px 6px;
    text-align: left;
    vertical-align: top;
    overflow-wrap: break-word;
  }
  code,
  .long {
    overflow-wrap: anywhere;
  }
  thead th {
    background: #eee;
  }
  tbody th {
    font-weight: inherit;
  }
  tr {
    break-inside: avoid;
  }
  .limits {
    border: 2px solid #8a1c1c;
    padding: 6px 12px;
    break-inside: avoid-page;
  }
  @media screen and (max-width: 900px) {
    dl,
    table,
    tbody,
    tr,
    th,
    td {
      display: block;
      overflow-wrap: anywhere;
    }
    thead {
      display: none;
    }
    tr {
      margin-bottom: 12px;
    }
    td::before {
      content: attr(data-label) ": ";
      font-weight: 600;
    }
  }
  @media print {
    body {
      max-width: none;
      padding: 0;
      font-size: 10px;
    }
    .zone {
      break-before: page;
    }
  }
</style>`;
