// Tells by a real VLESS connection whether an engine serves a user, without a client program that would need time of its own.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

const TCP = 1;
const IPV4 = 1;
const LOCALHOST = [127, 0, 0, 1];
const PAYLOAD = Buffer.from('ping');
/** Version and length of additions, which come before the first byte from the target. */
const ANSWER_HEAD_BYTES = 2;

/** A server that returns what it receives: the target of all connections. */
export async function startEcho() {
  const server = createServer((socket) => socket.on('error', () => undefined).pipe(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: server.address().port, close: () => server.close() };
}

/** Whether the inbound on `port` passes data of the user with this id to the echo server. */
export function passes(port, id, echo) {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    let received = 0;
    const settle = (passed) => {
      socket.destroy();
      resolve(passed);
    };
    socket.on('data', (chunk) => {
      received += chunk.length;
      if (received >= ANSWER_HEAD_BYTES + PAYLOAD.length) settle(true);
    });
    socket.on('error', () => settle(false)).on('close', () => settle(false));
    socket.write(Buffer.concat([requestHead(id, echo.port), PAYLOAD]));
  });
}

/** Sends so many bytes through the inbound, and waits until they have come back. */
export function transfer(port, id, echo, bytes) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
      if (received < ANSWER_HEAD_BYTES + bytes) return;
      resolve();
      socket.destroy();
    });
    socket.on('error', reject).on('close', () => reject(new Error('the connection ended before all bytes came back')));
    socket.write(requestHead(id, echo.port));
    socket.write(Buffer.alloc(bytes));
  });
}

function requestHead(id, targetPort) {
  const uuid = Buffer.from(id.replaceAll('-', ''), 'hex');
  const target = Buffer.from([TCP, targetPort >> 8, targetPort & 0xff, IPV4, ...LOCALHOST]);
  return Buffer.concat([Buffer.from([0]), uuid, Buffer.from([0]), target]);
}
