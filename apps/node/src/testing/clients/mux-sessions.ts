import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const [NEW, WITH_DATA, UDP, IPV4] = [1, 1, 2, 1];
const MUX_COMMAND = 3;

/** One connection of a VLESS user without flow that opens sessions of mux, each for a packet to a port of the loopback address. */
export class MuxConnection {
  private opened = 0;

  private constructor(private readonly socket: Socket) {}

  static async open(port: number, id: string): Promise<MuxConnection> {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    socket.resume();
    socket.write(Buffer.concat([Buffer.of(0), Buffer.from(id.replaceAll('-', ''), 'hex'), Buffer.of(0, MUX_COMMAND)]));
    return new MuxConnection(socket);
  }

  /** Bytes that it has sent. */
  get sent(): number {
    return this.socket.bytesWritten;
  }

  openUdpSessions(count: number, targetPort: number): void {
    const sessions = Array.from({ length: count }, () => {
      this.opened += 1;
      const head = Buffer.alloc(14);
      head.writeUInt16BE(12, 0);
      head.writeUInt16BE(this.opened, 2);
      head.set([NEW, WITH_DATA, UDP], 4);
      head.writeUInt16BE(targetPort, 7);
      head.set([IPV4, 127, 0, 0, 1], 9);
      return Buffer.concat([head, Buffer.of(0, 1, 120)]);
    });
    this.socket.write(Buffer.concat(sessions));
  }

  close(): void {
    this.socket.destroy();
  }
}
