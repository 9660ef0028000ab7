import { enginePath, freePort, type ParsedLink, parseLink } from '@rampart/testing';
import type { Json } from '../cells/cell.js';
import { accountOf, type Client, type RunningClient } from './client.js';
import { linkOutbound } from './link-outbound.js';
import { complaintOf, type Files, runUntilClosed } from './program.js';

/** The members of a client configuration that the tests use. */
interface ClientConfig {
  readonly remarks: string;
  readonly outbounds: readonly [Outbound, ...Json[]];
}
interface Outbound extends Json {
  readonly streamSettings: Json;
}

/** An Xray client that reads complete JSON configurations. */
export const xrayJson: Client = {
  column: 'Xray JSON',
  userAgent: 'any',
  path: '/xray',
  namesIn: (document) => configsIn(document).map(({ remarks }) => remarks),
  complaint: async (document) => {
    const complaints: string[] = [];
    for (const config of configsIn(document)) {
      const complaint = await verdictOf(config);
      if (complaint !== '') complaints.push(`${config.remarks}: ${complaint}`);
    }
    return complaints.join('\n');
  },
  start: (document, trusted) =>
    start(
      configsIn(document).map(({ outbounds }) => outbounds),
      trusted,
    ),
};

/** An Xray client that reads share links, with a parser that shares no code with the writer. */
export const xrayLinks: Client = {
  column: 'Xray, links',
  userAgent: 'v2rayNG/1.10.24',
  path: '',
  namesIn: (document) => linksIn(document).map(({ name }) => name),
  complaint: (document) =>
    verdictOf({ outbounds: linksIn(document).map((link, at) => ({ ...linkOutbound(link), tag: `o${at}` })) }),
  start: (document, trusted) =>
    start(
      linksIn(document).map((link) => [linkOutbound(link)] as const),
      trusted,
    ),
};

const configsIn = (document: string): ClientConfig[] => JSON.parse(document);

/** Decodes a subscription of links, which is one line of base64. */
const linksIn = (document: string): ParsedLink[] =>
  Buffer.from(document, 'base64').toString().split('\n').filter(Boolean).map(parseLink);

const files = (config: object): Files => ({ 'config.json': JSON.stringify(config) });

const verdictOf = (config: object): Promise<string> =>
  complaintOf(files(config), (folder) => ({
    program: enginePath(),
    args: ['run', '-test', '-c', `${folder}/config.json`],
  }));

/** Runs all entries in one engine; the proxy account selects the entry. */
async function start(entries: readonly (readonly [Outbound, ...Json[]])[], trusted: string): Promise<RunningClient> {
  const port = await freePort();
  const accounts = entries.map((_, at) => ({ user: accountOf(at), pass: 'password' }));
  const config = {
    log: { loglevel: 'warning' },
    inbounds: [{ listen: '127.0.0.1', port, protocol: 'http', settings: { accounts } }],
    outbounds: [{ protocol: 'blackhole' }, ...entries.flatMap(retagged)],
    routing: { rules: accounts.map(({ user }) => ({ user: [user], outboundTag: user })) },
  };
  return runUntilClosed(
    files(config),
    (folder) => ({ program: enginePath(), args: ['run', '-c', `${folder}/config.json`] }),
    port,
    trusted,
  );
}

/** Gives a proxy, and the outbound that it dials through, tags that are unique among the entries. */
function retagged([proxy, ...others]: readonly [Outbound, ...Json[]], at: number): Json[] {
  const tag = accountOf(at);
  const dialer = others.find((outbound) => outbound['tag'] === 'dialer');
  if (dialer === undefined) return [{ ...proxy, tag }];
  const dialerProxy = `${tag} dialer`;
  return [
    { ...proxy, tag, streamSettings: { ...proxy.streamSettings, sockopt: { dialerProxy } } },
    { ...dialer, tag: dialerProxy },
  ];
}
