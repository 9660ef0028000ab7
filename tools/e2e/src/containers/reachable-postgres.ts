import { connect, createServer } from 'node:net';
import { join } from 'node:path';

const DATABASE = join(import.meta.dirname, '../../../../apps/management/dist/database/embedded/embedded-postgres.js');

interface EmbeddedServer {
  readonly url: string;
  stop(): Promise<void>;
}

export interface ReachablePostgres {
  /** The URL by which containers reach the server. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL for containers. It listens on a socket only, so a relay on the gateway is its address. */
export async function startReachablePostgres(dataDir: string, gateway: string): Promise<ReachablePostgres> {
  const { EmbeddedPostgres }: { EmbeddedPostgres: { start(options: object): Promise<EmbeddedServer> } } = await import(
    DATABASE
  );
  const server = await EmbeddedPostgres.start({ dataDir, log: () => undefined });
  const own = new URL(server.url.replace('@/', '@localhost/'));
  const relay = createServer((from) => {
    const to = connect(join(own.searchParams.get('host') ?? '', '.s.PGSQL.5432'));
    from.on('error', () => to.destroy()).pipe(to);
    to.on('error', () => from.destroy()).pipe(from);
  });
  await new Promise<void>((resolve) => relay.listen(0, gateway, resolve));
  const { port } = relay.address() as { port: number };
  return {
    url: `postgres://${own.username}:${own.password}@${gateway}:${port}${own.pathname}`,
    stop: async () => {
      relay.close();
      await server.stop();
    },
  };
}
