import { OperatorError } from '../process/operator-error.js';

/** The part of a Nest application that opens a port. */
export interface Listener {
  listen(port: number, host: string): Promise<unknown>;
  getHttpServer(): { address(): unknown };
}

/** The address and the port on which a server listens. */
export interface ListenSettings {
  readonly host: string;
  readonly port: number;
  /** The environment variables of host and port, for errors. */
  readonly hostSetting: string;
  readonly portSetting: string;
}

/**
 * Opens the port of an application.
 *
 * @returns the address it listens on, as `host:port` with IPv6 in brackets. Port 0 in the settings gives a free port.
 * @throws OperatorError when the port or address cannot be used; it names the setting to change.
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

/** Whether an address has a port: that of a unix path or of a closed listener has none. */
function hasPort(bound: unknown): bound is { port: number } {
  return typeof bound === 'object' && bound !== null && 'port' in bound;
}

function explain(cause: unknown, settings: ListenSettings): unknown {
  const found = listenProblem(cause, settings);
  return found ? new OperatorError(`${found.problem}: ${found.remedy}.`, { cause }) : cause;
}

/** Why an address cannot be listened on, and what to do; undefined for errors that have another reason. */
export function listenProblem(
  error: unknown,
  { host, port, hostSetting, portSetting }: ListenSettings,
): { problem: string; remedy: string } | undefined {
  // The code is checked instead of the class, because errors of Node.js come from another realm in some runtimes.
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return {
        problem: `Port ${port} on ${host} is taken by another program`,
        remedy: `set ${portSetting} to a free one`,
      };
    case 'EACCES':
      return { problem: `Port ${port} needs more rights`, remedy: `set ${portSetting} to one above 1023` };
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return { problem: `This machine has no address ${host}`, remedy: `set ${hostSetting} to one of its own` };
    default:
      return undefined;
  }
}
