/* The slider goes to its event and keeps the focus there; arrow keys step from call to call. */
"use strict";
const slider = document.getElementById("at");
slider.addEventListener("input", () => { document.querySelector("output").textContent = slider.value + " / " + slider.max; });
slider.addEventListener("change", () => { location.replace("?at=" + slider.value + "#at"); });
document.addEventListener("keydown", (event) => {
  if (event.target === slider || event.altKey || event.ctrlKey || event.metaKey) return;
  const rel = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  if (rel) location.replace(document.querySelector('[rel="' + rel + '"]').href);
});
