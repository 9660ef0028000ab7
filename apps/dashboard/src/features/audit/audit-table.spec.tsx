import { describe, expect, it } from '@jest/globals';
import { MantineProvider } from '@mantine/core';
import { fireEvent, render } from '@testing-library/react';
import { startLanguage, withTexts } from '../../ui/i18n/i18n';
import type { AuditEntry } from './audit-log';
import { AuditTable } from './audit-table';

const ENTRY: AuditEntry = {
  id: 7,
  at: '2026-01-01T00:00:00Z',
  actor: 'admin',
  actor_id: 1,
  token: { id: 12, name: 'shop' },
  session_id: null,
  address: '192.0.2.1',
  action: 'node.modify',
  target: 'node/3',
  difference: { port: { before: 1, after: 2 }, server_ca: { after: 'line\nline' } },
};

describe(AuditTable.name, () => {
  it('says what was done to what, and opens an entry below its row', async () => {
    await startLanguage('en');
    await withTexts('audit', Promise.resolve());
    const view = render(
      <MantineProvider env="test">
        <AuditTable entries={[ENTRY]} objects={[{ target: 'node/3', name: 'Finland' }]} />
      </MantineProvider>,
    );
    const row = view.getAllByRole('row')[1];
    expect(row?.textContent).toContain('adminshopNode changedFinlandport, server_ca');
    expect(view.queryByText('node.modify node/3')).toBeNull();
    fireEvent.click(view.getByRole('button', { name: 'Show' }));
    view.getByText('node.modify node/3');
    view.getByText('shop (12)');
    expect(view.getAllByRole('deletion').map(({ textContent }) => textContent)).toEqual(['1']);
    expect(view.getAllByRole('insertion').map(({ textContent }) => textContent)).toEqual(['2', 'line\nline']);
    fireEvent.click(view.getByRole('button', { name: 'Hide' }));
    expect(view.queryByText('node.modify node/3')).toBeNull();
  });
});
