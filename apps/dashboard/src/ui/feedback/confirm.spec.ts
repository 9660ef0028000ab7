import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { confirm, openQuestion } from './confirm';

const QUESTION = { title: 'Delete?', text: 'It is gone then.', action: 'Delete', onConfirm: jest.fn() };
const focus = (selector: string) => document.querySelector<HTMLElement>(selector)?.focus();

describe('confirm', () => {
  beforeEach(() => {
    document.body.innerHTML = `<button id="dots">Actions</button>
      <div role="menu" aria-labelledby="dots"><button role="menuitem">Delete</button></div>`;
  });

  it('confirm gives the focus back to what has asked', () => {
    focus('#dots');
    confirm(QUESTION);
    (document.activeElement as HTMLElement).blur();
    openQuestion.close();
    expect(document.activeElement?.id).toBe('dots');
  });

  it('confirm gives the focus back to the button of a menu, whose entries are gone then', () => {
    focus('[role=menuitem]');
    confirm(QUESTION);
    document.querySelector('[role=menu]')?.remove();
    openQuestion.close();
    expect(document.activeElement?.id).toBe('dots');
  });
});
