/** The colors of all pages, light or dark as the reader's system is. */
export const palette = `:root {
  color-scheme: light dark;
  --back: light-dark(#f6f7f9, #0e1116);
  --card: light-dark(#fff, #161b22);
  --raised: light-dark(#f0f2f5, #1d232c);
  --line: light-dark(#dfe3e8, #2a313c);
  --text: light-dark(#1b2129, #e3e8ef);
  --quiet: light-dark(#5b6673, #97a3b2);
  --link: light-dark(#1556c0, #79b0ff);
  --good: light-dark(#166b3a, #4cc27a);
  --bad: light-dark(#c22a2f, #ff7b72);
  --warn: light-dark(#95600a, #e0aa3e);
  --info: light-dark(#1556c0, #79b0ff);
  --hold: light-dark(#7a45b8, #c297ff);
  --tint-good: light-dark(#e4f5ea, #12291b);
  --tint-bad: light-dark(#fdebea, #33171a);
  --tint-warn: light-dark(#fdf3dc, #2e2411);
  --tint-info: light-dark(#e5effd, #142338);
  --tint-hold: light-dark(#f2eafc, #261a38);
  --mono: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
`;
