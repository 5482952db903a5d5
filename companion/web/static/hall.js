/* The big screen of a hall rolls slowly through what does not fit, and waits at both ends. */
"use strict";
(() => {
  const WAIT_MS = 6000, STEP = 1, EVERY_MS = 40;
  let until = Date.now() + WAIT_MS, down = true;
  setInterval(() => {
    const most = document.documentElement.scrollHeight - window.innerHeight;
    if (most <= 4 || Date.now() < until) return;
    window.scrollBy(0, STEP);
    if (window.scrollY >= most - 1 && down) { down = false; until = Date.now() + WAIT_MS; }
    else if (!down) { window.scrollTo(0, 0); down = true; until = Date.now() + WAIT_MS; }
  }, EVERY_MS);
})();
