// Keys: everything that can be done without a mouse, from a presenter's remote as well.
"use strict";

function step(by) {
  const all = items(), i = all.findIndex(x => x.dataset.key === view.key);
  const next = all[i + by];
  if (next) go(next.dataset.key);
}

// finding goes to the next step that somebody should look at, and round at the end.
function finding(by) {
  const all = items(), i = all.findIndex(x => x.dataset.key === view.key);
  for (let n = 1; n <= all.length; n++) {
    const next = all[(i + by * n + all.length * n) % all.length];
    if ("looks" in next.dataset) return go(next.dataset.key);
  }
}

// turn scrolls by a page, and goes on where there is no more.
function turn(by) {
  const box = $("step"), before = box.scrollTop;
  box.scrollTop += by * box.clientHeight * 0.85;
  if (Math.abs(box.scrollTop - before) < 2) step(by);
}

let zoom = 1;
function scale(to) {
  zoom = Math.min(2.5, Math.max(0.5, to));
  document.documentElement.style.setProperty("--zoom", zoom);
}

// theme: the style knows light and dark by what the system has; its rules for dark are
// switched on or off for good when somebody asks.
let dark = matchMedia("(prefers-color-scheme: dark)").matches;
function theme(to) {
  dark = to;
  for (const sheet of document.styleSheets)
    for (const rule of sheet.cssRules)
      if (rule instanceof CSSMediaRule && (rule.dark ||= rule.media.mediaText.includes("prefers-color-scheme: dark")))
        rule.media.mediaText = dark ? "all" : "not all";
  document.documentElement.style.colorScheme = dark ? "dark" : "light";
}

const docks = ["", "large", "away"];
function dock() {
  const now = docks.indexOf(document.body.dataset.dock || "");
  document.body.dataset.dock = docks[(now + 1) % docks.length];
}

const keys = {
  j: () => step(1), ArrowDown: () => step(1), ArrowRight: () => step(1),
  k: () => step(-1), ArrowUp: () => step(-1), ArrowLeft: () => step(-1),
  Home: () => go("start"), End: () => go("end"),
  f: () => { view.follow = !view.follow; marks(); if (view.follow) show(view.at); },
  n: () => finding(1), p: () => finding(-1), N: () => finding(-1),
  " ": e => turn(e.shiftKey ? -1 : 1), PageDown: () => turn(1), PageUp: () => turn(-1),
  l: dock, d: () => theme(!dark),
  "+": () => scale(zoom * 1.1), "=": () => scale(zoom * 1.1), "-": () => scale(zoom / 1.1), "0": () => scale(1),
  o: () => window.open("report/", "_blank", "noopener"),
  "?": () => $("help").open ? $("help").close() : $("help").showModal(),
};

document.addEventListener("keydown", e => {
  if (e.ctrlKey || e.altKey || e.metaKey || !keys[e.key]) return;
  if ($("help").open && e.key !== "?") return;
  // A button that has the focus is pressed with the space bar.
  if (e.key === " " && document.activeElement instanceof HTMLButtonElement && document.activeElement.dataset.key !== view.key) return;
  // A list that has the focus scrolls.
  if (document.activeElement?.classList.contains("pane") && /^(Arrow|Page|Home|End| )/.test(e.key)) return;
  e.preventDefault();
  keys[e.key](e);
});

// Where the system changes its mind and nobody asked for another, the page follows by
// its style; only what the key does next must know.
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", e => { dark = e.matches; });
