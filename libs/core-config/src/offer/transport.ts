import type { JsonCursor } from '../read/json-cursor.js';
import {
  type EngineNetwork,
  NETWORK_FACTS,
  type Network,
  networkOf,
  networkSettings,
  type RemovedNetwork,
} from '../read/networks.js';
import type { TransportFields } from './offered-inbound.js';
import { readXhttpExtra } from './xhttp-extra.js';

const XHTTP_MODES = ['auto', 'packet-up', 'stream-up', 'stream-one'];

/** Reads the transport of an inbound that users get. @throws CoreConfigError for a transport that cannot serve users */
export function readNetwork(stream: JsonCursor): Network | RemovedNetwork {
  const network = namedNetwork(stream);
  if (network !== undefined && network !== 'hysteria') return network;
  const { hysteria: _users, ...offered } = NETWORK_FACTS;
  const known = Object.values(offered).flatMap(({ aliases }) => aliases);
  return stream.get('network').fail(`${stream.path}.network must be one of ${known.join(', ')}`);
}

const namedNetwork = (stream: JsonCursor): EngineNetwork | undefined => networkOf(stream.get('network').text());

/** Returns why the pinned engine refuses a transport that older engines ran; undefined for a transport that it runs. */
export function removedTransport(stream: JsonCursor): string | undefined {
  const network = namedNetwork(stream);
  if (network === 'quic') return 'the engine replaced quic by xhttp (stream-one over h3)';
  if (network === 'http' || network === 'h2' || network === 'h3') {
    return `the engine replaced ${network} by xhttp (stream-one)`;
  }
  if (network !== 'kcp') return undefined;
  const settings = networkSettings(stream, network);
  const old = ['seed', 'header'].find((key) => settings.get(key).exists);
  return old === undefined ? undefined : `the engine replaced "${old}" of kcp by finalmask`;
}

/** Reads path, host and header of a transport (contract: network-specific path/host rules). @throws CoreConfigError */
export function readTransport(stream: JsonCursor, tag: string): TransportFields {
  const network = readNetwork(stream);
  const removed = removedTransport(stream);
  return { network, removed, headerType: '', mode: '', extra: {}, ...readSettings(stream, network, tag) };
}

type Settings = Pick<TransportFields, 'path' | 'host'> & Partial<TransportFields>;

function readSettings(stream: JsonCursor, network: Network | RemovedNetwork, tag: string): Settings {
  const settings = networkSettings(stream, network);
  switch (network) {
    case 'tcp':
      return readTcp(settings, tag);
    case 'ws':
    case 'httpupgrade':
      return readPathAndHost(settings, tag);
    case 'xhttp':
      return readXhttp(settings, tag);
    case 'grpc': {
      const mode = settings.get('multiMode').flag() ? 'multi' : 'gun';
      return { path: settings.get('serviceName').text(), host: list(settings.get('authority').text()), mode };
    }
    case 'kcp':
      return { path: settings.get('seed').text(), host: [] };
    case 'quic':
      return { path: settings.get('key').text(), host: [] };
    case 'http':
    case 'h2':
    case 'h3': {
      const host = settings.get('host');
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
