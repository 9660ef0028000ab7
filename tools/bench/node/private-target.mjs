// What users of a measured node reach, in a process of its own: over TCP as many bytes as a line asks for, over UDP an echo.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Readable } from 'node:stream';

const CHUNK = Buffer.alloc(256 * 1024);

const tcp = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.once('data', (line) => Readable.from(chunks(Number(line)), { objectMode: false }).pipe(socket));
}).listen(0, '127.0.0.1');
const udp = createSocket('udp4').on('message', (packet, { port, address }) => udp.send(packet, port, address));
await Promise.all([once(tcp, 'listening'), once(udp.bind(0, '127.0.0.1'), 'listening')]);
process.send({ tcp: tcp.address().port, udp: udp.address().port });
process.on('disconnect', () => process.exit());

function* chunks(bytes) {
  for (let left = bytes; left > 0; left -= CHUNK.length) yield CHUNK.subarray(0, left);
}
