import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { OperatorError } from '@rampart/program';
import type { Settings } from './settings.js';

export interface WantedPort {
  readonly port: number;
  /** What listens there, for the error, such as "the management API". */
  readonly use: string;
  /** How to change the port, such as "set RAMPART_PORT to a free port". */
  readonly remedy: string;
  /** Whether the port must be free for UDP too. */
  readonly udp?: boolean;
}

/** Lists the ports to check. @param fixed whether an earlier start has fixed all ports but the management API's. */
export function wantedPorts(settings: Settings, fixed: boolean): WantedPort[] {
  const free = (setting: string) => `set ${setting} to a free port`;
  const first = (setting: string) =>
    fixed ? `end that program, as ${setting} counts at the first start only` : free(setting);
  return [
    { port: settings.port, use: 'the management API', remedy: free('RAMPART_PORT') },
    { port: settings.nodePort, use: 'the node', remedy: first('RAMPART_NODE_PORT') },
    { port: settings.vlessPort, use: 'the VLESS inbound', remedy: first('RAMPART_VLESS_PORT') },
    {
      port: settings.shadowsocksPort,
      use: 'the Shadowsocks inbound',
      remedy: first('RAMPART_SHADOWSOCKS_PORT'),
      udp: true,
    },
  ];
}

/** Throws an OperatorError that names every port that is taken or shared by two settings, with its setting. */
export async function checkPorts(wanted: readonly WantedPort[]): Promise<void> {
  const problems: string[] = [];
  for (const [index, { port, use, remedy, udp }] of wanted.entries()) {
    const twin = wanted.slice(0, index).find((other) => other.port === port);
    if (twin !== undefined) problems.push(`Port ${port} is wanted by ${twin.use} and by ${use}: ${remedy}.`);
    else {
      const reason = (await whyNotFree(port)) ?? (udp ? await whyNotFreeForUdp(port) : undefined);
      if (reason !== undefined) problems.push(`Port ${port}, for ${use}, ${reason}: ${remedy}.`);
    }
  }
  if (problems.length > 0) throw new OperatorError(problems.join('\n'));
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken by another program',
  EACCES: 'needs more rights than this user has',
};

const explain = ({ code = '' }: NodeJS.ErrnoException) => REASONS[code] ?? `cannot be used (${code})`;

function whyNotFree(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error) => resolve(explain(error)));
    probe.listen(port, '0.0.0.0', () => probe.close(() => resolve(undefined)));
  });
}

function whyNotFreeForUdp(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createSocket('udp4');
    probe.once('error', (error) => probe.close(() => resolve(explain(error))));
    probe.bind(port, '0.0.0.0', () => probe.close(() => resolve(undefined)));
  });
}
