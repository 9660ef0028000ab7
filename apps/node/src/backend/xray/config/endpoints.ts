import type { Inbound, Transport } from '@rampart/core-config';

/** A place where an inbound listens. */
export type Endpoint = { readonly tag: string } & (
  | {
      readonly kind: 'port';
      readonly host: string;
      readonly first: number;
      readonly last: number;
      readonly transport: Transport;
    }
  /** The path is as the kernel shows it: that of an abstract socket, which is no file, begins with "@". */
  | { readonly kind: 'path'; readonly path: string }
);

/** The length in bytes up to which the engine fills an abstract name that begins with "@@". */
const FILLED_NAME_BYTES = 108;

/** Returns where an inbound listens: a unix socket, or each range of its ports with each of its transports. */
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

/** Returns the name that the kernel shows: the zeros with which the engine fills up a name after "@@" are shown as "@". */
function socketName(address: string): string {
  return address.startsWith('@@') ? address.slice(1).padEnd(FILLED_NAME_BYTES, '@') : address;
}
