// The page's part of the live view. The server makes all markup; this puts it in its
// place, remembers which step is looked at, and says when the link is lost.
"use strict";

const $ = id => document.getElementById(id);

const view = {
  follow: true,
  at: "start",        // what the run is at
  key: "start",       // what is shown
  shown: "",          // key and version of what is shown
  sources: [],        // the list's markup as it came, piece by piece
  asked: 0,           // requests for a step, so that a late answer does not win
  clock: {elapsed: 0, goes: false, since: 0},
};

const items = () => [...$("list").querySelectorAll(".item")];
const itemOf = key => items().find(i => i.dataset.key === key);

// show makes a key the one that is looked at, and gets what there is to see of it.
async function show(key) {
  if (!itemOf(key)) return;
  const fresh = key !== view.key;
  view.key = key;
  for (const i of items()) {
    if (i.dataset.key === key) i.setAttribute("aria-current", "step");
    else i.removeAttribute("aria-current");
  }
  if (fresh) center(itemOf(key));
  const version = key + " " + itemOf(key).dataset.seen;
  if (version === view.shown) return;
  const mine = ++view.asked;
  let html;
  try {
    const answer = await fetch("step?key=" + encodeURIComponent(key));
    if (!answer.ok) return;
    html = await answer.text();
  } catch {
    return; // the link says so
  }
  if (mine !== view.asked) return;
  const top = view.shown.startsWith(key + " ") ? $("step").scrollTop : 0;
  $("step").innerHTML = html;
  $("step").scrollTop = top;
  view.shown = version;
  if (view.follow) evidence();
}

// evidence scrolls to what came, if it is out of sight and the step has ended: what is
// above was there to read while the step ran.
function evidence() {
  const box = $("step"), came = box.querySelector(".came article"), sides = box.querySelector(".sides"), title = box.querySelector(".title");
  if (came && came.getBoundingClientRect().bottom > box.getBoundingClientRect().bottom)
    box.scrollTop = sides.offsetTop - title.offsetHeight - 4;
}

// center scrolls the list alone, and only if it must.
function center(item) {
  const list = $("list"), box = list.getBoundingClientRect(), it = item.getBoundingClientRect();
  if (it.top < box.top + it.height || it.bottom > box.bottom - 2 * it.height)
    list.scrollTop += it.top - box.top - box.height / 3;
}

// drawList changes only what is different, so that focus and scrolling stay.
function drawList(html) {
  const made = document.createElement("template");
  made.innerHTML = html;
  const now = [...made.content.children], list = $("list");
  now.forEach((el, i) => {
    const source = el.outerHTML;
    if (view.sources[i] === source) return;
    const old = list.children[i];
    const focused = old && old === document.activeElement;
    if (old) old.replaceWith(el); else list.append(el);
    view.sources[i] = source;
    if (focused) el.focus({preventScroll: true});
  });
  while (list.children.length > now.length) list.lastElementChild.remove();
  view.sources.length = now.length;
}

function drawNode(name, html) {
  const dock = $("nodes");
  let box = $(name);
  if (!box) {
    box = document.createElement("section");
    box.id = name;
    const after = [...dock.children].find(c => Number(c.id.slice(5)) > Number(name.slice(5)));
    dock.insertBefore(box, after || null);
  }
  dock.hidden = false;
  const tops = new Map([...box.querySelectorAll(".pane")].map(p => [p.dataset.pane, p.scrollTop]));
  const focused = document.activeElement && box.contains(document.activeElement) ? document.activeElement.dataset.pane : null;
  box.innerHTML = html;
  for (const pane of box.querySelectorAll(".pane")) {
    pane.scrollTop = tops.get(pane.dataset.pane) || 0;
    if (pane.dataset.pane === focused) pane.focus({preventScroll: true});
    const changed = pane.querySelector(".new, .gone");
    if (changed) pane.scrollTop = changed.offsetTop - 4; // the pane is what it is placed in
  }
}

function take(parts) {
  for (const [name, html] of Object.entries(parts)) {
    if (name === "list") drawList(html);
    else if (name === "at") view.at = html;
    else if (name === "say") $("say").textContent = html;
    else if (name.startsWith("node-")) drawNode(name, html);
    else if (name === "head") drawHead(html);
  }
  show(view.follow ? view.at : view.key);
}

function drawHead(html) {
  $("head").innerHTML = html;
  const clock = $("head").querySelector(".clock");
  view.clock = {elapsed: Number(clock.dataset.elapsed), goes: "goes" in clock.dataset, since: performance.now()};
  document.title = $("head").querySelector(".state").textContent.trim() + " · " + $("head").querySelector("h1").textContent;
  tick();
  marks();
}

function tick() {
  const clock = $("head").querySelector(".clock");
  if (!clock) return;
  let s = view.clock.elapsed;
  if (view.clock.goes) s += (performance.now() - view.clock.since) / 1000;
  s = Math.round(s);
  clock.textContent = s ? Math.floor(s / 60) + ":" + String(s % 60).padStart(2, "0") : "";
}
setInterval(tick, 1000);

// marks says in the head whether the run is followed.
function marks() {
  const mark = $("head").querySelector(".follow");
  if (mark) mark.textContent = view.follow ? "following" : "f follows";
  document.body.classList.toggle("follows", view.follow);
}

function link(text) {
  $("link").textContent = text;
  $("link").hidden = !text;
}

const events = new EventSource("events");
events.onopen = () => link("");
events.onmessage = e => take(JSON.parse(e.data));
events.addEventListener("bye", () => {
  events.close();
  view.clock.goes = false;
  link("labctl has ended; this is how it was");
});
events.onerror = () => {
  link(events.readyState === EventSource.CLOSED ? "labctl does not answer any more; this is how it was" : "the link to labctl is lost; trying again …");
};

$("list").addEventListener("click", e => {
  const item = e.target.closest(".item");
  if (item) go(item.dataset.key);
});

// go leaves the run alone and looks at a key.
function go(key) {
  view.follow = false;
  marks();
  show(key);
}
