let lastFocused: HTMLElement | undefined;

// The element that has the focus now may be the page itself: a dialog that is loaded opens when the entry of the menu has gone.
document.addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLElement) lastFocused = outlastingElement(target);
});

/** Notes what had the focus last, and gives it back when called. */
export function noteFocus(): () => void {
  const element = lastFocused;
  return () => element?.focus({ preventScroll: true });
}

/** An entry of a menu goes with the menu, whose button stays. */
function outlastingElement(element: HTMLElement): HTMLElement {
  const button = element.closest('[role=menu]')?.getAttribute('aria-labelledby');
  return (button && document.getElementById(button)) || element;
}
