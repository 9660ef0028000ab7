import { type EngineClient, freePort, runEngine } from '@rampart/testing';

/** A user of a node: where its client connects to. */
export interface Route {
  readonly username: string;
  readonly uuid: string;
  readonly node: number;
  readonly address: string;
  readonly port: number;
  /** Where the node finds the origin server. */
  readonly origin: { readonly host: string; readonly port: number };
}

/** One Xray that plays the clients of all users: for each of them and each node, a local port that leads to the origin server. */
export class ClientEngine {
  private constructor(
    private readonly engine: EngineClient,
    private readonly ports: ReadonlyMap<string, number>,
  ) {}

  static async start(routes: readonly Route[]): Promise<ClientEngine> {
    const ports = new Map<string, number>();
    for (const { username, node } of routes) ports.set(keyOf(username, node), await freePort());
    const config = {
      inbounds: routes.map(({ username, node, origin }) => ({
        tag: keyOf(username, node),
        listen: '127.0.0.1',
        port: ports.get(keyOf(username, node)),
        protocol: 'dokodemo-door',
        settings: { address: origin.host, port: origin.port, network: 'tcp' },
      })),
      outbounds: routes.map(({ username, uuid, node, address, port }) => ({
        tag: `to ${keyOf(username, node)}`,
        protocol: 'vless',
        settings: { vnext: [{ address, port, users: [{ id: uuid, encryption: 'none' }] }] },
      })),
      routing: {
        rules: routes.map(({ username, node }) => ({
          inboundTag: [keyOf(username, node)],
          outboundTag: `to ${keyOf(username, node)}`,
        })),
      },
      policy: { levels: { 0: { connIdle: 86_400, uplinkOnly: 0, downlinkOnly: 0 } } },
    };
    return new ClientEngine(await runEngine(ports.values().next().value ?? 0, config), ports);
  }

  /** The local port that leads through a node as this user. */
  port(username: string, node: number): number {
    const port = this.ports.get(keyOf(username, node));
    if (port === undefined) throw new Error(`there is no client of ${username} for node ${node}`);
    return port;
  }

  close(): Promise<void> {
    return this.engine.close();
  }
}

/** How a user on a node is named in the first line of a connection and in the byte book. */
export const keyOf = (username: string, node: number): string => `${username}@${node}`;
