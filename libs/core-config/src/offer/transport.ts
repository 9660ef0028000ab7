import type { JsonCursor } from '../read/json-cursor.js';
import { type Network, REMOVED_NETWORKS, type RemovedNetwork, type TransportFields } from './offered-inbound.js';
import { readXhttpExtra } from './xhttp-extra.js';

const NAMES: ReadonlyMap<string, Network | RemovedNetwork> = new Map<string, Network | RemovedNetwork>([
  ['', 'tcp'],
  ['tcp', 'tcp'],
  ['raw', 'tcp'],
  ['ws', 'ws'],
  ['websocket', 'ws'],
  ['grpc', 'grpc'],
  ['gun', 'grpc'],
  ['httpupgrade', 'httpupgrade'],
  ['xhttp', 'xhttp'],
  ['splithttp', 'xhttp'],
  ['kcp', 'kcp'],
  ['mkcp', 'kcp'],
  ...REMOVED_NETWORKS.map((name): [string, RemovedNetwork] => [name, name]),
]);

const XHTTP_MODES = ['auto', 'packet-up', 'stream-up', 'stream-one'];

/** The transport of an inbound under its one name. */
export function readNetwork(stream: JsonCursor): Network | RemovedNetwork {
  const known = [...NAMES.keys()].filter((name) => name !== '').join(', ');
  return knownNetwork(stream) ?? stream.get('network').fail(`${stream.path}.network must be one of ${known}`);
}

function knownNetwork(stream: JsonCursor): Network | RemovedNetwork | undefined {
  return NAMES.get(stream.get('network').text().toLowerCase());
}

/** Why the pinned engine refuses this transport, where it once took it. */
export function removedTransport(stream: JsonCursor): string | undefined {
  const network = knownNetwork(stream);
  if (network === 'quic') return 'the engine replaced quic by xhttp (stream-one over h3)';
  if (network === 'http' || network === 'h2' || network === 'h3') {
    return `the engine replaced ${network} by xhttp (stream-one)`;
  }
  if (network !== 'kcp') return undefined;
  const settings = stream.get('kcpSettings');
  const old = ['seed', 'header'].find((key) => settings.get(key).exists);
  return old === undefined ? undefined : `the engine replaced "${old}" of kcp by finalmask`;
}

/** Path, host and header of an inbound's transport (contract: network-specific path/host rules). */
export function readTransport(stream: JsonCursor, tag: string): TransportFields {
  const network = readNetwork(stream);
  const removed = removedTransport(stream);
  return { network, removed, headerType: '', mode: '', extra: {}, ...readSettings(stream, network, tag) };
}

type Settings = Pick<TransportFields, 'path' | 'host'> & Partial<TransportFields>;

function readSettings(stream: JsonCursor, network: Network | RemovedNetwork, tag: string): Settings {
  switch (network) {
    case 'tcp':
      return readTcp(stream.getFirst('rawSettings', 'tcpSettings'), tag);
    case 'ws':
      return readPathAndHost(stream.get('wsSettings'), tag);
    case 'httpupgrade':
      return readPathAndHost(stream.get('httpupgradeSettings'), tag);
    case 'xhttp':
      return readXhttp(stream.getFirst('xhttpSettings', 'splithttpSettings'), tag);
    case 'grpc': {
      const settings = stream.getFirst('grpcSettings', 'gunSettings');
      const mode = settings.get('multiMode').flag() ? 'multi' : 'gun';
      return { path: settings.get('serviceName').text(), host: list(settings.get('authority').text()), mode };
    }
    case 'kcp':
      return { path: stream.get('kcpSettings').get('seed').text(), host: [] };
    case 'quic':
      return { path: stream.get('quicSettings').get('key').text(), host: [] };
    case 'http':
    case 'h2':
    case 'h3': {
      const settings = stream.getFirst(`${network}Settings`, 'httpSettings');
      const host = settings.getFirst('host', 'Host');
      return { path: settings.get('path').text(), host: Array.isArray(host.value) ? host.texts() : list(host.text()) };
    }
  }
}

function readTcp(settings: JsonCursor, tag: string): Settings {
  const header = settings.get('header');
  const type = header.get('type');
  const headerType = type.text('none');
  if (headerType !== 'none' && headerType !== 'http') type.fail(`${type.path} must be none or http`);
  const path = header.get('request').get('path');
  const host = header.get('request').get('headers').getFirst('Host', 'host');
  for (const cursor of [path, host]) {
    if (typeof cursor.value === 'string') cursor.fail(`Settings of ${tag} for path and host must be list, not str`);
  }
  return { path: path.texts()[0] ?? '', host: host.texts(), headerType: headerType === 'http' ? 'http' : '' };
}

function readPathAndHost(settings: JsonCursor, tag: string): Settings {
  const path = settings.get('path');
  const own = settings.get('host');
  const host = own.exists ? own : settings.get('headers').getFirst('Host', 'host');
  for (const cursor of [path, host]) {
    if (Array.isArray(cursor.value)) cursor.fail(`Settings for path and host must be str, not list (inbound ${tag})`);
  }
  return { path: path.text(), host: list(host.text()) };
}

function readXhttp(settings: JsonCursor, tag: string): Settings {
  const cursor = settings.get('mode');
  const mode = cursor.text() || 'auto';
  if (!XHTTP_MODES.includes(mode)) cursor.fail(`${cursor.path} must be one of ${XHTTP_MODES.join(', ')}`);
  return { ...readPathAndHost(settings, tag), mode, extra: readXhttpExtra(settings) };
}

function list(text: string): string[] {
  return text === '' ? [] : [text];
}
