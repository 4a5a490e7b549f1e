// Runs before the first paint: the chosen theme, and the mark that scripts work.
(function () {
  const root = document.documentElement;
  root.classList.add("js");
  try {
    const theme = localStorage.getItem("lotsawa.theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch {
    // Storage is off: the system's theme stays.
  }
})();
