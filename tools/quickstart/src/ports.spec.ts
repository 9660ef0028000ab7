import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { freePort } from '@rampart/testing';
import { checkPorts, wantedPorts } from './ports.js';

let holder: Server;
let taken: number;

beforeEach(async () => {
  holder = createServer().listen(0, '0.0.0.0');
  await once(holder, 'listening');
  taken = (holder.address() as AddressInfo).port;
});
afterEach(() => void holder.close());

const api = (port: number) => ({ port, use: 'the management API', remedy: 'set RAMPART_PORT to a free port' });

describe(checkPorts.name, () => {
  it('names a taken port, its use and its setting', async () => {
    await expect(checkPorts([api(taken)])).rejects.toThrow(
      `Port ${taken}, for the management API, is taken by another program: set RAMPART_PORT to a free port.`,
    );
  });

  it('names a port that two settings share', async () => {
    holder.close();
    await once(holder, 'close');
    const node = { port: taken, use: 'the node', remedy: 'set RAMPART_NODE_PORT to a free port' };
    await expect(checkPorts([api(taken), node])).rejects.toThrow(
      `Port ${taken} is wanted by the management API and by the node: set RAMPART_NODE_PORT to a free port.`,
    );
  });

  it('names a port that is taken only for UDP, where UDP is wanted', async () => {
    const port = await freePort();
    const udpHolder = createSocket('udp4').bind(port, '0.0.0.0');
    await once(udpHolder, 'listening');
    try {
      await checkPorts([api(port)]);
      await expect(checkPorts([{ ...api(port), udp: true }])).rejects.toThrow(
        `Port ${port}, for the management API, is taken by another program: set RAMPART_PORT to a free port.`,
      );
    } finally {
      udpHolder.close();
    }
  });

  it('leaves free ports free', async () => {
    holder.close();
    await once(holder, 'close');
    await checkPorts([{ ...api(taken), udp: true }]);
    await checkPorts([{ ...api(taken), udp: true }]);
  });
});

describe(wantedPorts.name, () => {
  const settings = {
    dataDir: '/data',
    host: '0.0.0.0',
    port: 8000,
    nodePort: 62050,
    vlessPort: 8443,
    shadowsocksPort: 8388,
  };
  const remedies = (fixed: boolean) => wantedPorts(settings, fixed).map(({ port, remedy }) => [port, remedy]);

  it('names the setting of each port', () => {
    expect(remedies(false)).toEqual([
      [8000, 'set RAMPART_PORT to a free port'],
      [62050, 'set RAMPART_NODE_PORT to a free port'],
      [8443, 'set RAMPART_VLESS_PORT to a free port'],
      [8388, 'set RAMPART_SHADOWSOCKS_PORT to a free port'],
    ]);
  });

  it('advises no setting that has no effect after the first start', () => {
    expect(remedies(true)).toEqual([
      [8000, 'set RAMPART_PORT to a free port'],
      [62050, 'end that program, as RAMPART_NODE_PORT counts at the first start only'],
      [8443, 'end that program, as RAMPART_VLESS_PORT counts at the first start only'],
      [8388, 'end that program, as RAMPART_SHADOWSOCKS_PORT counts at the first start only'],
    ]);
  });
});
