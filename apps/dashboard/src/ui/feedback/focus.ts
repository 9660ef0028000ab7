/**
 * Notes what has the focus, and gives it back when called. Of an entry of a menu it goes to the button of the menu: the entry is
 * gone by then.
 */
export function noteFocus(): () => void {
  const element = document.activeElement;
  const button = element?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  return () => {
    const origin = button ? document.getElementById(button) : element;
    if (origin instanceof HTMLElement) origin.focus({ preventScroll: true });
  };
}
