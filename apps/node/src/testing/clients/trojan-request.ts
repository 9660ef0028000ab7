import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';

/** Sends a request of a user of Trojan for a name, which may have any bytes. Resolves when the connection has ended. */
export async function sendTrojanRequest(port: number, password: string, name: string): Promise<void> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  const key = createHash('sha224').update(password).digest('hex');
  const host = Buffer.from(name);
  socket.write(
    Buffer.concat([Buffer.from(`${key}\r\n`), Buffer.of(1, 3, host.length), host, Buffer.from('\0\x50\r\nx')]),
  );
  if (!socket.resume().closed) await once(socket, 'close');
}
