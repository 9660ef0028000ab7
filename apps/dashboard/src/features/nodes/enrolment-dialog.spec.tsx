import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen } from '@testing-library/react';
import { coresQuery } from '../../api/queries';
import { openQuestion } from '../../ui/feedback/confirm';
import { startLanguage } from '../../ui/i18n/i18n';
import { EnrolmentDialog } from './enrolment-dialog';

const ENROLMENT = 'RAMPART_ENROLMENT=rampart-enrolment-1.x';
const NODE = { address: '198.51.100.7', port: 62_051, core_config_id: 2 };
const CORE = { id: 2, config: { inbounds: [{ tag: 'a', port: 443 }] } };

let closed: number;
let copied: string[];
let client: QueryClient;

beforeEach(async () => {
  await startLanguage('en');
  [closed, copied] = [0, []];
  const clipboard = { writeText: async (text: string) => void copied.push(text) };
  Object.defineProperty(navigator, 'clipboard', { value: clipboard, configurable: true });
  client = new QueryClient();
  client.setQueryData(coresQuery.queryKey, { cores: [CORE], count: 1 } as never);
  render(
    <QueryClientProvider client={client}>
      <MantineProvider env="test">
        <EnrolmentDialog node={NODE} enrolment={ENROLMENT} onClose={() => (closed += 1)} />
      </MantineProvider>
    </QueryClientProvider>,
  );
});
afterEach(() => {
  openQuestion.close();
  client.clear();
});

const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));

describe(EnrolmentDialog.name, () => {
  it('asks before a value that was not copied is lost', () => {
    press('Close');
    expect([closed, openQuestion.get()?.title]).toEqual([0, 'Close without a copy?']);
    openQuestion.get()?.onConfirm();
    expect(closed).toBe(1);
  });

  it('closes at once after a copy, which has the ports that differ from the compose file', async () => {
    press('Copy the value');
    await screen.findByRole('button', { name: 'Copied' });
    press('Close');
    expect([closed, openQuestion.get()]).toEqual([1, undefined]);
    expect(copied).toEqual([`${ENROLMENT}\nRAMPART_NODE_PORT=62051\nRAMPART_INBOUND_PORTS=443`]);
  });

  it('shows its QR code only where it is asked for', () => {
    expect(screen.queryByRole('img')).toBeNull();
    expect(screen.getByRole('button', { name: 'Show as QR code', expanded: false })).toBeDefined();
  });
});
