import { OperatorError } from '../process/operator-error.js';

/** What a Nest application is here: something that opens a port. */
export interface Listener {
  listen(port: number, host: string): Promise<unknown>;
  getHttpServer(): { address(): unknown };
}

export interface ListenSettings {
  readonly host: string;
  readonly port: number;
  /** The settings that change them, for the errors. */
  readonly hostSetting: string;
  readonly portSetting: string;
}

/**
 * Opens the port; answers the address that it got, `host:port`, IPv6 in brackets.
 *
 * @throws OperatorError that names the port or address and the setting that changes it.
 */
export async function listen(app: Listener, settings: ListenSettings): Promise<string> {
  const { host, port } = settings;
  try {
    await app.listen(port, host);
  } catch (cause) {
    throw explain(cause, settings);
  }
  const bound = app.getHttpServer().address();
  const name = host.includes(':') ? `[${host}]` : host;
  return `${name}:${hasPort(bound) ? bound.port : port}`;
}

/** A listener on a unix path or a closed one has an address without a port. */
function hasPort(bound: unknown): bound is { port: number } {
  return typeof bound === 'object' && bound !== null && 'port' in bound;
}

function explain(cause: unknown, { host, port, hostSetting, portSetting }: ListenSettings): unknown {
  // By its code and not its class: errors of Node come from another realm in some runtimes.
  const code: unknown = typeof cause === 'object' && cause !== null ? Reflect.get(cause, 'code') : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return new OperatorError(
        `Port ${port} on ${host} is taken by another program: set ${portSetting} to a free one.`,
        { cause },
      );
    case 'EACCES':
      return new OperatorError(`Port ${port} needs more rights: set ${portSetting} to one above 1023.`, { cause });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new OperatorError(`This machine has no address ${host}: set ${hostSetting} to one of its own.`, { cause });
    default:
      return cause;
  }
}
