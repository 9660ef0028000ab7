// The table of settings of `npm start`; --help prints it. It runs before the dependencies are installed: only node: imports.
import { isIP } from 'node:net';
import { resolve } from 'node:path';

const port = (text) => {
  const value = Number(text);
  if (!/^\d{1,5}$/.test(text) || value < 1 || value > 65535) throw new Error('must be a port from 1 to 65535');
  return value;
};

const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?';
const DOMAIN = new RegExp(`^(?=.{1,253}$)(?:${LABEL}\\.)*(?!\\d+$)${LABEL}$`, 'i');

const address = (text) => {
  if (isIP(text) || DOMAIN.test(text)) return text;
  throw new Error('must be an IP address or a domain name');
};

const webUrl = (text) => {
  if (/^https?:\/\/[^\s?#]+$/.test(text)) return text.replace(/\/+$/, '');
  throw new Error('must be an http or https URL without query');
};

const target = (text) => {
  const [, host, digits] = /^([^:]+):(\d{1,5})$/.exec(text) ?? [];
  if (DOMAIN.test(host ?? '') && Number(digits) >= 1 && Number(digits) <= 65535) return text;
  throw new Error('must be host:port of a site with TLS 1.3');
};

const folder = (text) => resolve(text);

const TABLE = [
  {
    name: 'RAMPART_DATA_DIR',
    key: 'dataDir',
    fallback: 'data',
    read: folder,
    meaning: 'Folder that holds the database, certificates and keys',
  },
  {
    name: 'RAMPART_HOST',
    key: 'host',
    fallback: '0.0.0.0',
    read: address,
    meaning: 'Address that the management API listens on',
  },
  {
    name: 'RAMPART_PORT',
    key: 'port',
    fallback: '8000',
    read: port,
    meaning: 'Port of the management API and of the subscriptions',
  },
  {
    name: 'RAMPART_NODE_PORT',
    key: 'nodePort',
    fallback: '62050',
    read: port,
    meaning: 'Port of the node (REST and gRPC over TLS), on 127.0.0.1; used at the first start',
  },
  {
    name: 'RAMPART_VLESS_PORT',
    key: 'vlessPort',
    fallback: '8443',
    read: port,
    meaning: 'Port of the VLESS REALITY inbound; used at the first start',
  },
  {
    name: 'RAMPART_SHADOWSOCKS_PORT',
    key: 'shadowsocksPort',
    fallback: '8388',
    read: port,
    meaning: 'Port of the Shadowsocks-2022 inbound; used at the first start',
  },
  {
    name: 'RAMPART_PUBLIC_ADDRESS',
    key: 'publicAddress',
    read: address,
    meaning:
      "Address that clients connect to, set up at the first start; default: this machine's public, else LAN address",
  },
  {
    name: 'RAMPART_PUBLIC_URL',
    key: 'publicUrl',
    read: webUrl,
    meaning: 'Prefix of subscription URLs where a proxy stands in front; default: http, the address and RAMPART_PORT',
  },
  {
    name: 'RAMPART_REALITY_TARGET',
    key: 'realityTarget',
    read: target,
    meaning:
      "host:port of the site that REALITY borrows; used at the first start; default: the node's own TLS port, which works offline",
  },
];

/** Reads and checks the settings in the environment. The error lists every problem. */
export function readSettings(env) {
  const problems = [];
  const settings = {};
  for (const { name, key, fallback, read } of TABLE) {
    const text = env[name]?.trim() || fallback;
    if (text === undefined) continue;
    try {
      settings[key] = read(text);
    } catch (error) {
      problems.push(`${name} ${error.message}; it is "${text}"`);
    }
  }
  if (problems.length > 0) throw Object.assign(new Error(problems.join('\n')), { isOperatorError: true });
  return settings;
}

const width = Math.max(...TABLE.map(({ name }) => name.length));

export const help = `npm start: runs Rampart on this machine, management and one node, and creates a first user.

Settings, by environment variable:

${TABLE.map(({ name, fallback, meaning }) => `  ${name.padEnd(width)}  ${meaning}${fallback ? ` (${fallback})` : ''}`).join('\n')}

The engine comes from where its installer finds it: XRAY_EXECUTABLE_PATH, PATH, RAMPART_CACHE_DIR (else XDG_CACHE_HOME, else
HOME), and for a build with Go what "go" reads, such as GOPROXY ("node tools/engine/dist/main.js --help").

Both programs inherit the environment. Management and the node have settings of their own: see "node apps/management/dist/main.js --help" and
"node apps/node/dist/main.js --help" after the first start.`;
