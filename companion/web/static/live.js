/* Keeps a page live: regions that changed are put in their places, clocks run on, a stale page says how old it is. */
"use strict";
(() => {
  const body = document.body;
  const stale = document.getElementById("stale");
  let base = null; // the game's time at a moment of this phone's clock
  let heard = Date.now();

  const text = (ms) => {
    const seconds = Math.floor(Math.abs(ms) / 1000), hours = Math.floor(seconds / 3600);
    const minutes = Math.floor(seconds / 60) % 60, two = (n) => String(n).padStart(2, "0");
    return (ms <= -1000 ? "\u2212" : "") + (hours ? hours + ":" + two(minutes) : minutes) + ":" + two(seconds % 60);
  };
  const tick = () => {
    if (base === null) return;
    const now = base.game + performance.now() - base.phone;
    for (const clock of document.querySelectorAll(".clock")) {
      const { ms, step, at } = clock.dataset;
      const shown = text(Number(ms) + Number(step) * (now - Number(at)));
      if (clock.textContent !== shown) clock.textContent = shown;
    }
  };
  const old = () => {
    const seconds = Math.round((Date.now() - heard) / 1000);
    const late = seconds >= Number(body.dataset.patience || 25);
    if (late) {
      const age = seconds < 120 ? seconds + " s" : seconds < 7200 ? Math.round(seconds / 60) + " min" : Math.round(seconds / 3600) + " h";
      stale.textContent = body.dataset.stale + " \u2212" + age;
    }
    if (stale.hidden === late) stale.hidden = !late;
    body.classList.toggle("old", late);
  };

  const refresh = () => {
    if (document.hidden || body.classList.contains("old")) return;
    for (const image of document.querySelectorAll("img[data-picture]")) {
      const wide = Math.min(1600, Math.round(image.clientWidth * (window.devicePixelRatio || 1))) || 640;
      const next = new Image();
      next.onload = () => { image.src = next.src; image.closest("figure").classList.remove("none"); };
      next.onerror = () => image.closest("figure").classList.add("none");
      next.src = image.dataset.picture + "?w=" + wide + "&t=" + Date.now();
    }
  };

  // A list of calls keeps the lines that it has, so that a screen reader reads the new ones alone.
  const grown = (place, made) => {
    const [list, fresh] = [place, made.content].map((one) => one.querySelector("ol[data-keyed]"));
    if (!list || !fresh || place.innerHTML.replace(list.outerHTML, "") !== made.innerHTML.replace(fresh.outerHTML, "")) return false;
    const wanted = new Set([...fresh.children].map((one) => one.outerHTML));
    for (const one of [...list.children]) if (!wanted.has(one.outerHTML)) one.remove();
    [...fresh.children].forEach((one, n) => { if (list.children[n]?.outerHTML !== one.outerHTML) list.insertBefore(one, list.children[n] || null); });
    return true;
  };

  const REACTION_MS = 600; // nobody reads a tile and taps its letter within so short a time
  const asked = (place) => [...place.querySelectorAll("[name=tile]")].map((one) => one.value).join();
  let askedAt = -REACTION_MS; // when last other tiles were asked about than before

  // A control is known again by its id, its link, or its value among those of its name; a summary by what it opens.
  const keyed = (place, kinds) => [...place.querySelectorAll(kinds)].map((one) => [
    one.id || one.getAttribute("href") || [one.form?.id, one.name, one.value, one.closest("summary") && one.parentElement.id].join(), one]);
  const controls = (place) => keyed(place, "input, select"); // what a person has typed or chosen
  const targets = (place) => keyed(place, "a, button, input, select, summary"); // what has the focus

  // A part of the page is drawn again: what was typed, unfolded or had the focus stays.
  window.redraw = (place, html) => {
    const focused = place.contains(document.activeElement) ? document.activeElement : null;
    const back = focused && targets(place).find(([, one]) => one === focused)?.[0];
    const typed = new Map(controls(place).map(([key, { value, checked }]) => [key, { value, checked }]));
    const before = asked(place);
    const open = [...place.querySelectorAll("details[id][open]")].map((one) => one.id);
    place.innerHTML = html;
    if (asked(place) !== before) askedAt = performance.now();
    for (const [key, one] of controls(place)) if (typed.has(key)) Object.assign(one, typed.get(key));
    for (const id of open) document.getElementById(id)?.setAttribute("open", "");
    if (focused) { // where its control is gone, the next tab goes on from its region
      place.tabIndex = -1;
      (targets(place).find(([key]) => key === back)?.[1] || place).focus({ preventScroll: true });
    }
  };

  const put = (regions) => {
    for (const [name, html] of Object.entries(regions)) {
      const place = document.querySelector('[data-region="' + name + '"]');
      if (!place) continue;
      const made = document.createElement("template");
      made.innerHTML = html;
      if (made.innerHTML === place.innerHTML || grown(place, made)) continue;
      window.redraw(place, html);
    }
    tick();
  };

  let source = null; // a hidden tab listens to nothing: of a phone's tabs only the one that is seen does
  const listen = () => {
    if (document.hidden || source) return;
    const known = body.dataset.number;
    source = new EventSource(body.dataset.live + (known ? "?after=" + known : ""));
    source.onmessage = (event) => {
      const news = JSON.parse(event.data);
      heard = Date.now();
      base = news.now_ms === null ? base : { game: news.now_ms, phone: performance.now() };
      body.dataset.number = event.lastEventId;
      put(news.regions);
      old();
      document.dispatchEvent(new CustomEvent("companion:news", { detail: news }));
    };
    source.addEventListener("beat", () => { heard = Date.now(); old(); });
    source.onerror = () => { // a browser gives up for good where it was told to come back later
      if (source?.readyState !== EventSource.CLOSED) return;
      leave();
      setTimeout(listen, 3000);
    };
  };
  const leave = () => { source?.close(); source = null; };
  if (body.dataset.live) {
    listen();
    document.addEventListener("visibilitychange", () => (document.hidden ? leave() : listen()));
    setInterval(tick, 200);
    setInterval(old, 1000);
    setInterval(refresh, 2500);
    refresh();
  }

  // A form whose answer was seen may be sent again: a new key says that this is no repeat.
  const renew = (keys) => { for (const one of keys) one.value = crypto.getRandomValues(new Uint32Array(4)).join("-"); };
  window.addEventListener("pageshow", (event) => { if (event.persisted) renew(document.querySelectorAll("[name=form_key]")); });

  let tapped = { what: "", at: -REACTION_MS }; // a finger that taps twice means one call, and the first of two orders

  // Forms marked as quiet are sent without leaving the page; without scripting they are sent as any form.
  document.addEventListener("submit", async (event) => {
    const form = event.target, quiet = form.matches("[data-quiet]");
    if (form.method !== "post") return;
    if (quiet) event.preventDefault();
    const sent = new FormData(form, event.submitter);
    const says = document.getElementById(form.dataset.quiet);
    if (event.submitter?.name === "tile" && performance.now() - askedAt < REACTION_MS) { // meant for another tile
      says.textContent = form.dataset.moved;
      says.className = "notice bad";
      says.hidden = false;
      return;
    }
    const to = event.submitter?.hasAttribute("formaction") ? event.submitter.formAction : form.action;
    const said = new URLSearchParams(sent), at = performance.now();
    said.delete("form_key");
    const what = form.id === "order" ? to : to + "?" + said;
    if (what === tapped.what && at - tapped.at < REACTION_MS) {
      event.preventDefault();
      return;
    }
    tapped = { what, at };
    if (!quiet) return;
    event.submitter?.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(to, { method: "POST", body: new URLSearchParams(sent), headers: { Accept: "application/json" } });
      const told = await answer.json();
      renew(form.querySelectorAll("[name=form_key]"));
      says.textContent = told.says;
      says.className = "notice " + (answer.ok && told.accepted !== false ? "good" : "bad");
      if (told.accepted !== false) [...form.elements].forEach((one) => { if (one.hasAttribute("data-clear")) one.value = ""; });
    } catch {
      says.textContent = body.dataset.stale.split(".")[0] + ".";
      says.className = "notice bad";
    }
    says.hidden = false;
    event.submitter?.removeAttribute("aria-busy");
  });
})();
