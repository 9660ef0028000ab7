import type { Inbound, Transport } from '@rampart/core-config';

/** Where an inbound listens. */
export type Endpoint = { readonly tag: string } & (
  | {
      readonly kind: 'port';
      readonly host: string;
      readonly first: number;
      readonly last: number;
      readonly transport: Transport;
    }
  /** As the kernel shows it: abstract ones, which are no files, begin with "@". */
  | { readonly kind: 'path'; readonly path: string }
);

/** The length of an abstract name that the engine fills up. */
const FILLED_NAME_BYTES = 108;

/** Where an inbound listens: on a unix socket, or on each range of its ports by each of its transports. */
export function endpointsOf({ tag, listen, ports, transports }: Inbound): Endpoint[] {
  if (listen.isSocket) return [{ tag, kind: 'path', path: socketName(listen.address) }];
  const host = hostOf(listen.address);
  return ports.flatMap(({ from, to }) =>
    transports.map((transport) => ({ tag, kind: 'port' as const, host, first: from, last: to, transport })),
  );
}

function hostOf(address: string): string {
  if (address === '') return '0.0.0.0';
  return address === 'localhost' ? '127.0.0.1' : address.replace(/^\[(.*)\]$/, '$1');
}

/** After two of the marks the engine fills the name up with zeros, which the kernel shows as such marks. */
function socketName(address: string): string {
  return address.startsWith('@@') ? address.slice(1).padEnd(FILLED_NAME_BYTES, '@') : address;
}
