// Runs before the first paint: the chosen theme and look of texts, and the mark that scripts work.
(function () {
  const root = document.documentElement;
  root.classList.add("js");
  try {
    const theme = localStorage.getItem("lotsawa.theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    const text = JSON.parse(localStorage.getItem("lotsawa.text"));
    if (text) root.dataset.textSize = text.size;
    for (const name of text?.on ?? []) root.setAttribute(`data-${name}`, "");
  } catch {
    // Storage is off or holds something else: all stays as it is.
  }
})();
