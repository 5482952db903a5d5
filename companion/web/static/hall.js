/* The big screen of a hall rolls slowly through what does not fit, and waits at both ends.
   Where motion is to be reduced, it shows one screenful after the other instead. */
"use strict";
(() => {
  const WAIT_MS = 6000, STEP = 1, EVERY_MS = 40;
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let until = Date.now() + WAIT_MS, down = true;
  setInterval(() => {
    const most = document.documentElement.scrollHeight - window.innerHeight;
    if (most <= 4 || Date.now() < until) return;
    window.scrollBy(0, still.matches ? 0.9 * window.innerHeight : STEP);
    if (still.matches) until = Date.now() + WAIT_MS;
    if (window.scrollY >= most - 1 && down) { down = false; until = Date.now() + WAIT_MS; }
    else if (!down) { window.scrollTo(0, 0); down = true; until = Date.now() + WAIT_MS; }
  }, EVERY_MS);
})();
