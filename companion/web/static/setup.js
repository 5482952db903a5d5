/* Fills in the names of a table that played before. */
"use strict";
document.getElementById("saved")?.addEventListener("change", (event) => {
  const names = JSON.parse(event.target.value || "[]");
  document.querySelectorAll('[name^="name-"]').forEach((field, n) => { field.value = names[n] || ""; });
});
