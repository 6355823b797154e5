// Keys for people who use no mouse: "/" goes to the query, n and N to the next and the previous match, Escape leaves a field.
"use strict";
(() => {
  const current = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    return target && target.hasAttribute("data-match") ? target : null;
  };
  const step = (way) => {
    const here = current();
    const link = here ? here.querySelector(`[data-step="${way}"]`) : document.getElementById("first-match");
    if (!link) return;
    const id = link.hash.slice(1);
    if (document.getElementById(id)) location.hash = id; // it is on this page, maybe further down
    else location.assign(link.href);
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const field = event.target.closest && event.target.closest("input,select,textarea");
    if (field) {
      if (event.key === "Escape") field.blur();
      return;
    }
    if (event.key === "/") {
      const query = document.querySelector("input.query");
      if (query) {
        event.preventDefault();
        query.focus();
        query.select();
      }
    } else if (event.key === "n") step("next");
    else if (event.key === "N" || event.key === "p") step("previous");
  });
})();
