/* Setting up a table: pictures stay live, corners are dragged, tapped or moved by keys; the fields say the same. */
"use strict";
(() => {
  const LOOK_MS = 1200, RENEW_MS = 1500, STEP = 0.4, FINE = 0.05, NEAR = 0.7, LOUPE = 3;

  // Pictures: the next one is asked for when the last has come.
  const follow = (image) => {
    const again = () => setTimeout(() => (document.hidden ? again() : next()), LOOK_MS);
    const next = () => {
      const wide = Math.round(image.clientWidth * (window.devicePixelRatio || 1)) || 480;
      const fresh = new Image();
      fresh.onload = () => { image.src = fresh.src; again(); };
      fresh.onerror = again;
      fresh.src = image.dataset.look + "&w=" + wide + "&t=" + Date.now();
    };
    again();
  };
  document.querySelectorAll("img[data-look]").forEach(follow);

  // A part of the page that the table changes by itself.
  for (const part of document.querySelectorAll("[data-renew]")) {
    document.querySelectorAll(".noscript").forEach((one) => { one.hidden = true; });
    setInterval(async () => {
      if (document.hidden) return;
      try {
        const answer = await fetch(location.href);
        if (!answer.ok) return;
        const made = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = made.querySelector('[data-renew="' + part.dataset.renew + '"]');
        if (fresh && fresh.innerHTML !== part.innerHTML) window.redraw(part, fresh.innerHTML); // of live.js
      } catch { /* the next look follows */ }
    }, RENEW_MS);
  }

  const clamp = (value) => Math.min(100, Math.max(0, value));

  // One figure on a picture: its fields hold percents, its polygon follows them.
  class Shape {
    constructor(place, fields) {
      this.fields = fields;
      this.name = fields.dataset.name;
      this.key = fields.dataset.fields;
      this.inputs = [...fields.querySelectorAll('input[name^="' + this.key + '-x-"]')].map((x) => [
        x, fields.querySelector('[name="' + x.name.replace("-x-", "-y-") + '"]')]);
      this.drawn = place.querySelector('[data-shape="' + this.key + '"]');
      for (const pair of this.inputs) for (const one of pair) one.addEventListener("input", () => place.companion());
    }
    spot(k) { return this.inputs[k].map((one) => Number(one.value)); }
    put(k, x, y) { [x, y].forEach((value, n) => { this.inputs[k][n].value = clamp(value).toFixed(2); }); }
    draw(width, height) {
      if (!this.drawn) return;
      const spots = this.inputs.map((_, k) => this.spot(k)).map(([x, y]) => [x * width / 100, y * height / 100]);
      this.drawn.querySelector("polygon").setAttribute("points", spots.map((one) => one.join(",")).join(" "));
      const text = this.drawn.querySelector("text");
      if (!text) return;
      text.setAttribute("x", spots.reduce((sum, one) => sum + one[0], 0) / spots.length);
      text.setAttribute("y", spots.reduce((sum, one) => sum + one[1], 0) / spots.length);
    }
  }

  for (const place of document.querySelectorAll(".marked")) {
    const image = place.querySelector("img"), loupe = place.querySelector(".loupe");
    const form = place.closest("form");
    const together = form.querySelector("#together");
    let chosen = 0, turn = 0, handles = [];
    const shapes = [...form.querySelectorAll("[data-fields]")].map((fields) => new Shape(place, fields));

    const label = (shape, k) => {
      const [x, y] = shape.spot(k);
      return place.dataset.handle.replace("#", k + 1).replace("@", shape.name) + ": " + x.toFixed(1) + " %, " + y.toFixed(1) + " %";
    };
    place.companion = () => {
      for (const shape of shapes) {
        shape.draw(Number(image.getAttribute("width")), Number(image.getAttribute("height")));
        shape.drawn?.classList.toggle("chosen", shape === shapes[chosen] && shapes.length > 1);
      }
      handles.forEach((handle, k) => {
        const [x, y] = shapes[chosen].spot(k);
        handle.style.left = x + "%"; handle.style.top = y + "%";
        handle.setAttribute("aria-label", label(shapes[chosen], k));
      });
    };
    const move = (k, x, y) => {
      const shape = shapes[chosen], from = shape.spot(k);
      const near = ([a, b]) => Math.hypot(a - from[0], b - from[1]) < NEAR;
      if (together?.checked) for (const other of shapes) other.inputs.forEach((_, n) => {
        if ((other !== shape || n !== k) && other !== shape && near(other.spot(n))) other.put(n, x, y);
      });
      shape.put(k, x, y);
      place.companion();
    };
    const at = (event) => {
      const box = image.getBoundingClientRect();
      return [100 * (event.clientX - box.left) / box.width, 100 * (event.clientY - box.top) / box.height];
    };
    const magnify = (x, y) => {
      const box = image.getBoundingClientRect(), side = 132;
      loupe.hidden = false;
      loupe.style.left = x < 50 ? "auto" : "6px"; loupe.style.right = x < 50 ? "6px" : "auto";
      loupe.style.backgroundImage = 'url("' + image.src + '")';
      loupe.style.backgroundSize = box.width * LOUPE + "px " + box.height * LOUPE + "px";
      loupe.style.backgroundPosition = side / 2 - x / 100 * box.width * LOUPE + "px " + (side / 2 - y / 100 * box.height * LOUPE) + "px";
    };
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const grip = (k) => {
      const handle = document.createElement("button");
      handle.type = "button"; handle.className = "handle"; handle.dataset.sign = k + 1;
      handle.addEventListener("pointerdown", (event) => {
        event.preventDefault(); event.stopPropagation();
        handle.focus({ preventScroll: true }); handle.setPointerCapture(event.pointerId); turn = k;
      });
      handle.addEventListener("pointermove", (event) => {
        if (!handle.hasPointerCapture(event.pointerId)) return;
        const [x, y] = at(event).map(clamp);
        move(k, x, y); magnify(x, y);
      });
      handle.addEventListener("pointerup", () => { loupe.hidden = true; turn = k + 1; });
      handle.addEventListener("pointercancel", () => { loupe.hidden = true; });
      handle.addEventListener("keydown", (event) => {
        const way = arrows[event.key];
        if (!way) return;
        event.preventDefault();
        const [x, y] = shapes[chosen].spot(k), step = event.shiftKey ? FINE : STEP;
        move(k, x + way[0] * step, y + way[1] * step);
      });
      return handle;
    };
    const choose = (n) => {
      chosen = n; turn = 0;
      handles.forEach((one) => one.remove());
      handles = shapes[n].inputs.map((_, k) => grip(k));
      place.append(...handles);
      place.companion();
    };
    image.addEventListener("pointerdown", (event) => {
      if (place.dataset.pick !== "taps") return;
      event.preventDefault();
      const k = turn % handles.length;
      move(k, ...at(event)); turn = k + 1;
      handles[k].focus({ preventScroll: true });
    });
    shapes.forEach((shape, n) => {
      if (shape.fields.tagName !== "DETAILS") return;
      shape.fields.addEventListener("toggle", (event) => {
        if (event.target !== shape.fields || !shape.fields.open) return;
        shapes.forEach((other) => { if (other !== shape) other.fields.open = false; });
        choose(n);
      });
    });
    if (shapes.length) choose(Math.max(0, shapes.findIndex((one) => one.fields.open)));
  }
})();
