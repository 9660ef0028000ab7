import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, it } from '@jest/globals';
import { issuedByAuthority } from '../testing/certificates.js';
import { failureOf } from '../testing/failure.js';
import { createNodeClient } from './create-node-client.js';

const asked: (string | undefined)[] = [];
const { cert, key, ca } = await issuedByAuthority({ names: ['127.0.0.1'] });
const server = createServer({ cert, key }, ({ url }, answer) => {
  asked.push(url);
  answer.writeHead(307, { location: '/elsewhere' }).end();
});

afterAll(() => void server.close());

it('security row 9: the client follows no redirect, so that its key is sent to no other server', async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const apiKey = 'a-key-of-enough-characters';
  const client = createNodeClient({ transport: 'rest', host: '127.0.0.1', port, apiKey, tls: { ca } });
  expect(await failureOf(client.info())).toMatchObject({ code: 'PROTOCOL' });
  await client.close();
  expect(asked).toEqual(['/info']);
});
