import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A proxy between the service and a PostgreSQL on a Unix socket. It can stop passing bytes, so that the database seems
 * to hang.
 */
export class DatabaseProxy {
  private readonly sockets = new Set<Socket>();
  private isHanging = false;

  private constructor(
    private readonly server: Server,
    /** The URL of the database through the proxy. */
    readonly url: string,
  ) {}

  static async before(databaseUrl: string): Promise<DatabaseProxy> {
    const { username, password, database, host, port } = partsOfUrl(databaseUrl);
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const own = (server.address() as AddressInfo).port;
    const proxy = new DatabaseProxy(server, `postgres://${username}:${password}@127.0.0.1:${own}/${database}`);
    server.on('connection', (client) => proxy.join(client, connect(`${host}/.s.PGSQL.${port}`)));
    return proxy;
  }

  /** Stops passing bytes in both directions; new connections are accepted, but nothing is read from them. */
  hang(): void {
    this.isHanging = true;
    for (const socket of this.sockets) socket.pause();
  }

  resume(): void {
    this.isHanging = false;
    for (const socket of this.sockets) socket.resume();
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(client: Socket, server: Socket): void {
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(from);
      from.on('data', (bytes) => to.write(bytes));
      from
        .on('error', () => undefined)
        .on('close', () => {
          this.sockets.delete(from);
          to.destroy();
        });
      if (this.isHanging) from.pause();
    }
  }
}

/** The parts of the URL of a database on a Unix socket. */
export function partsOfUrl(databaseUrl: string) {
  const { username, password, pathname, searchParams } = new URL(databaseUrl.replace('@/', '@localhost/'));
  const [host, port] = [searchParams.get('host') ?? '', searchParams.get('port') ?? ''];
  return { username, password, database: pathname.slice(1), host, port };
}
