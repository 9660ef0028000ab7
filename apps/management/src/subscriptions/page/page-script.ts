/** The one thing that a page cannot do without: copying. Inline, under a hash in the policy. */
export const PAGE_SCRIPT = `
document.addEventListener('click', async (event) => {
  const button = event.target.closest('button[data-copy]');
  if (!button) return;
  const text = document.getElementById(button.dataset.copy).textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  button.textContent = button.dataset.done;
  setTimeout(() => { button.textContent = button.dataset.label; }, 1500);
});
`;
