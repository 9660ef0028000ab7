import { freePort, programPath, programVersion } from '@rampart/testing';
import type { Column, Json } from '../cells/cell.js';
import { accountOf, type Client, type RunningClient } from './client.js';
import { complaintOf, runUntilClosed } from './program.js';

/** The sing-box app for Android, whose User-Agent names the version of its core. */
const singBox = (column: Column, name: 'sing-box' | 'sing-box-1.11'): Client => ({
  column,
  userAgent: `SFA/${programVersion(name)} (Build 1; sing-box ${programVersion(name)}; language en_US)`,
  path: '',
  namesIn: (document) => proxiesIn(document).map(({ tag }) => tag),
  complaint: (document) =>
    complaintOf({ 'config.json': document }, (folder) => ({
      program: programPath(name),
      args: ['check', '-D', folder, '-c', `${folder}/config.json`],
    })),
  start: (document, trusted) => runOutbounds(name, proxiesIn(document), trusted),
});

export const singBox114 = singBox('sing-box 1.14', 'sing-box');
export const singBox111 = singBox('sing-box 1.11', 'sing-box-1.11');

interface Outbound extends Json {
  readonly type: string;
  readonly tag: string;
}

const OWN_TYPES = ['selector', 'urltest', 'direct', 'block'];

function proxiesIn(document: string): Outbound[] {
  const { outbounds }: { outbounds: Outbound[] } = JSON.parse(document);
  return outbounds.filter(({ type }) => !OWN_TYPES.includes(type));
}

/** Runs the proxies of a profile; the proxy account selects one. */
async function runOutbounds(
  name: 'sing-box' | 'sing-box-1.11',
  outbounds: readonly Outbound[],
  trusted: string,
): Promise<RunningClient> {
  const port = await freePort();
  const users = outbounds.map((_, at) => ({ username: accountOf(at), password: 'password' }));
  const config = {
    log: { level: 'warn' },
    inbounds: [{ type: 'http', listen: '127.0.0.1', listen_port: port, users }],
    outbounds: [...outbounds, { type: 'block', tag: 'nowhere' }],
    route: {
      rules: outbounds.map(({ tag }, at) => ({ auth_user: [accountOf(at)], outbound: tag })),
      final: 'nowhere',
    },
  };
  return runUntilClosed(
    { 'config.json': JSON.stringify(config) },
    (folder) => ({ program: programPath(name), args: ['run', '-D', folder, '-c', `${folder}/config.json`] }),
    port,
    trusted,
  );
}

/** Outline has no command-line client, so sing-box connects with its access key. */
export const outline = {
  userAgent: 'Outline/1.15.0',
  start: (key: Json, trusted: string): Promise<RunningClient> =>
    runOutbounds('sing-box', [{ ...key, type: 'shadowsocks', tag: 'outline' }], trusted),
};
