import { beforeEach, describe, expect, it } from '@jest/globals';
import { MantineProvider } from '@mantine/core';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { startLanguage } from '../i18n/i18n';
import { Dialog, SideDialog } from './dialog';

/** Two dialogs, one in the other; both may be there from the beginning, as by a link. */
function Page({ initial = 0 }: { initial?: number }) {
  const [open, setOpen] = useState(initial);
  return (
    <MantineProvider env="test">
      <div role="menu" aria-labelledby="opener" hidden={open > 0}>
        <button type="button" onClick={() => setOpen(1)}>
          Open
        </button>
      </div>
      <button type="button" id="opener">
        Actions
      </button>
      {open > 0 && (
        <SideDialog onClose={() => setOpen(0)} title="Behind">
          <button type="button" onClick={() => setOpen(2)}>
            Next
          </button>
          {open > 1 && <Dialog onClose={() => setOpen(1)} title="In front" />}
        </SideDialog>
      )}
    </MantineProvider>
  );
}

const pressEscape = () => fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' });
const titles = () => screen.queryAllByRole('dialog').map((dialog) => dialog.textContent);
const focused = (text: string) => waitFor(() => expect(document.activeElement?.textContent).toBe(text));

function press(name: string): void {
  const button = screen.getByRole('button', { name });
  button.focus();
  fireEvent.click(button);
}

describe(Dialog.name, () => {
  beforeEach(() => startLanguage('en'));

  it.each([0, 2])('in front is the only one that Escape closes, with %s dialogs open from the beginning', (initial) => {
    render(<Page initial={initial} />);
    if (initial === 0) {
      press('Open');
      press('Next');
    }
    expect(titles()).toHaveLength(2);
    pressEscape();
    expect(titles()).toEqual([expect.stringContaining('Behind')]);
    pressEscape();
    expect(titles()).toEqual([]);
  });

  it('gives the focus back to what opened it, or to the button of the menu that did', async () => {
    render(<Page />);
    press('Open');
    press('Next');
    pressEscape();
    await focused('Next');
    pressEscape();
    await focused('Actions');
  });
});
