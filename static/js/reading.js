// What public pages need: buttons that copy, and say so.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  const element = button && document.querySelector(button.dataset.copy);
  if (!element) return;
  await navigator.clipboard.writeText(element.textContent.trim());
  const words = button.textContent;
  button.textContent = button.dataset.done;
  setTimeout(() => (button.textContent = words), 2000);
});
