import { describe, expect, it } from '@jest/globals';
import { MantineProvider } from '@mantine/core';
import { render } from '@testing-library/react';
import type { HostHealth } from '../../api/types';
import { startLanguage } from '../../ui/i18n/i18n';
import { HostHealthBadge } from './host-health-badge';

const HEALTH = { status: 'fails', checked_at: '2026-01-01T00:00:00Z', remark: 'first', message: '', results: [] };

describe(HostHealthBadge.name, () => {
  it('shows a state that it does not know as the server calls it', async () => {
    await startLanguage('en');
    const words = ['fails', 'resting'].map((status) => {
      const health = { ...HEALTH, status } as unknown as HostHealth;
      const { getByRole, unmount } = render(<HostHealthBadge health={health} />, { wrapper: MantineProvider });
      const text = getByRole('button').textContent;
      unmount();
      return text;
    });
    expect(words).toEqual(['Fails', 'resting']);
  });
});
