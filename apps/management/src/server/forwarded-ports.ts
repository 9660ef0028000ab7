import type http from 'node:http';

const HEADER = 'x-forwarded-for';
const WITH_PORT = /^(?:\[([\da-f:.]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/i;

/**
 * Takes the ports out of the addresses that proxies forward, as those of Azure write them: with them, each connection
 * of a client would count as an address of its own.
 */
export function removeForwardedPorts(request: http.IncomingMessage): void {
  const value = request.headers[HEADER];
  if (typeof value !== 'string' || !/[\]:]/.test(value)) return;
  const addresses = value.split(',').map((one) => one.trim().replace(WITH_PORT, (_, six, four) => six ?? four));
  request.headers[HEADER] = addresses.join(', ');
}
