import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { endWithoutKey } from './end-without-key.js';

const REQUEST = 'GET /info HTTP/1.1\r\nhost: node\r\n';
let handled: number;
let server: http.Server;

beforeEach(async () => {
  handled = 0;
  const answer = async ({ headers }: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    handled += 1;
    await nextTurn();
    if (headers['x-api-key'] === undefined) response.setHeader('connection', 'close');
    response.end('answered');
  };
  server = http.createServer(
    endWithoutKey(
      (request, response) => void answer(request, response),
      (header) => header('x-api-key') === 'the-key',
    ),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => void server.close());

async function answersTo(requests: string): Promise<number> {
  const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(requests);
  return [...(await text(socket)).matchAll(/HTTP\/1\.1 200/g)].length;
}

it('security row 58: requests that are pipelined behind one without the key are not looked at', async () => {
  expect(await answersTo(`${REQUEST}\r\n`.repeat(500))).toBe(1);
  expect(handled).toBe(1);
});

it('requests with the key are answered until one comes without it', async () => {
  const withKey = `${REQUEST}x-api-key: the-key\r\n\r\n`;
  expect(await answersTo(`${withKey.repeat(3)}${REQUEST}\r\n${withKey}`)).toBe(4);
  expect(handled).toBe(4);
});
