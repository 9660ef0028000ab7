import type { JsonCursor } from './json-cursor.js';

/** Maximum length in bytes of the path of a unix socket: a limit of the kernel. */
const MAX_PATH_BYTES = 107;

/** Where an inbound listens. */
export interface Listen {
  /** An address, `/path` or `@name`, without the mode that may follow a path; empty for every address. */
  readonly address: string;
  /** Whether it is a unix socket, where a port has no meaning. */
  readonly isSocket: boolean;
}

/** Whether an inbound with this listen address can be reached from its own machine only. */
export function isLocal({ address, isSocket }: Listen): boolean {
  return isSocket || /^(127\.|localhost$|\[?::1\]?$)/.test(address);
}

/** Reads `listen` of an inbound: an address, `/path`, `/path,mode` with the mode in octal digits, or `@name`. */
export function readListen(inbound: JsonCursor): Listen {
  const cursor = inbound.get('listen');
  const text = cursor.text();
  if (!isUnixSocket(text)) return { address: text, isSocket: false };
  if (text.startsWith('@')) return { address: text, isSocket: true };
  const tag = inbound.get('tag').value;
  const [path = '', mode, ...others] = text.split(',');
  if (others.length > 0 || (mode !== undefined && !/^0?[0-7]{3}$/.test(mode))) {
    cursor.fail(`inbound "${tag}": listen "${text}" must be a path, or a path, a comma and a mode like 0666`);
  }
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    cursor.fail(`inbound "${tag}": the path ${path} is longer than the ${MAX_PATH_BYTES} bytes that a socket may have`);
  }
  return { address: path, isSocket: true };
}

/** Whether a text names a unix socket: a path, or the `@name` of an abstract one. */
export function isUnixSocket(address: string): boolean {
  return address.startsWith('/') || address.startsWith('@');
}
