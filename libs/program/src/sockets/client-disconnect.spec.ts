import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from '@jest/globals';
import { isClientDisconnect, whenResponseCloses } from './client-disconnect.js';

const overHttp1 = (destroyed: boolean) => ({
  destroyed: false,
  req: { httpVersionMajor: 1, socket: { destroyed } },
});
const broken = Object.assign(new Error('Premature close'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });

it.each([
  ['a stream that broke off with its client', broken, { destroyed: true }, true],
  ['the same over HTTP/2', broken, { stream: { destroyed: true } }, true],
  ['the same before the answer has heard of it', broken, overHttp1(true), true],
  ['a stream that broke off while the client waits', broken, overHttp1(false), false],
  ['another error after the client has gone', new Error('a fault'), { destroyed: true }, false],
])('isClientDisconnect tells of %s', (_, error, answer, expected) => {
  expect(isClientDisconnect(error, answer)).toBe(expected);
});

it('whenResponseCloses calls back once for every response: finished, aborted, pipelined or already closed', async () => {
  const answers: ServerResponse[] = [];
  const closed: number[] = [];
  let come: (() => void) | undefined;
  const server = createServer((_, answer) => {
    const index = answers.push(answer) - 1;
    whenResponseCloses(answer, () => closed.push(index));
    if (answers.length === 4) come?.();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const all = new Promise<void>((resolve) => {
    come = resolve;
  });
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(4));
  await all;
  answers[0]?.end('written');
  await once(socket, 'data');
  expect(closed).toEqual([0]);
  socket.destroy();
  while (closed.length < 4) await new Promise(setImmediate);
  expect(closed.toSorted()).toEqual([0, 1, 2, 3]);
  for (const answer of answers) whenResponseCloses(answer, () => closed.push(9));
  expect(closed.slice(4)).toEqual([9, 9, 9, 9]);
  server.close();
});
