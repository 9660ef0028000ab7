import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { checkPortIsFree } from './check-port.js';

const settings = (host: string, port: number) => ({ host, port, hostSetting: 'THE_HOST', portSetting: 'THE_PORT' });

describe(checkPortIsFree.name, () => {
  it('tells a taken port from a free one', async () => {
    const holder = createServer();
    await once(holder.listen(0, '127.0.0.1'), 'listening');
    const { port } = holder.address() as AddressInfo;
    expect(await checkPortIsFree('port', settings('127.0.0.1', port))).toEqual({
      name: 'port',
      state: 'wrong',
      seen: `Port ${port} on 127.0.0.1 is taken by another program`,
      advice: 'Set THE_PORT to a free one.',
    });
    holder.close();
    await once(holder, 'close');
    expect(await checkPortIsFree('port', settings('127.0.0.1', port))).toEqual({
      name: 'port',
      state: 'ok',
      seen: `port ${port} on 127.0.0.1 is free`,
      advice: null,
    });
  });

  it('names the setting of an address that the machine does not have', async () => {
    expect(await checkPortIsFree('port', settings('192.0.2.1', 1))).toMatchObject({
      state: 'wrong',
      seen: 'This machine has no address 192.0.2.1',
      advice: 'Set THE_HOST to one of its own.',
    });
  });
});
