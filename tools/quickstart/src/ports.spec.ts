import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checkPorts } from './ports.js';

let holder: Server;
let taken: number;

beforeEach(async () => {
  holder = createServer().listen(0, '0.0.0.0');
  await once(holder, 'listening');
  taken = (holder.address() as AddressInfo).port;
});
afterEach(() => void holder.close());

const api = (port: number) => ({ port, use: 'the management API', remedy: 'set RAMPART_PORT to a free port' });

describe('checkPorts', () => {
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

  it('leaves free ports free', async () => {
    holder.close();
    await once(holder, 'close');
    await checkPorts([api(taken)]);
    await checkPorts([api(taken)]);
  });
});
