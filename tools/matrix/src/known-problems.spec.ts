import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { allCells } from './all-cells.js';
import { NO_MATERIAL } from './material.js';

/** The tests of a problem: cells of the matrix, or titles of tests in a file. */
type Proof = { readonly cells: readonly string[] } | { readonly file: string; readonly tests: readonly string[] };

const cells = (...names: readonly string[]): Proof => ({ cells: names });
const tests = (file: string, ...names: readonly string[]): Proof => ({ file, tests: names });

const LIBRARY = 'libs/subscription/src';
const MANAGEMENT = 'apps/management/src';
const REFUSED = `${LIBRARY}/formats/refused-documents.spec.ts`;
const LINKS = `${LIBRARY}/formats/links/links.spec.ts`;
const HEADERS = `${MANAGEMENT}/subscriptions/subscription-headers.spec.ts`;

/** Known problems of other panels (shared/field/clients.md §3.4), by their number there. */
const KNOWN_PROBLEMS: Readonly<Record<string, readonly Proof[]>> = {
  '42. a link has a flow that the node does not have': [
    cells('vless vision tcp reality', 'a user with vision, where it does not work: vless ws tls'),
  ],
  '43. xhttp hosts are missing in mihomo': [cells('vless xhttp auto reality')],
  '44. a new client is taken for another one': [
    tests(`${MANAGEMENT}/settings/client-pattern.spec.ts`, 'distinguish all new clients (clients.md 44)'),
  ],
  '45. Xray refuses allowInsecure of a link': [
    cells('pin, an authority that nobody knows: vless tcp tls'),
    tests(REFUSED, 'allowInsecure for an Xray client, in its own format or in links (clients.md 1)'),
  ],
  '46. Xray refuses allowInsecure of everybody': [
    cells('pin, another name: trojan ws tls', 'pin, another name: vmess grpc tls'),
  ],
  '47. REALITY locks out other clients by their version': [
    cells('REALITY open to clients of 1.0.0: vless tcp'),
    tests('libs/core-config/src/engine-config.spec.ts', 'gets the version that locks out nobody where none is given'),
  ],
  '48. REALITY locks out other clients by their key share': [
    tests(
      'libs/core-config/src/warnings/reality-warnings.spec.ts',
      'mention the key share that the newest engines demand',
    ),
  ],
  '49. a blank becomes a plus, and the masks of a link are mangled': [
    cells('vless ws tls', 'vmess kcp header-wechat none'),
  ],
  '50. trojan wants sni, vless servername; settings of xhttp and xmux have other names in mihomo': [
    cells('trojan tcp tls', 'vless tcp tls', 'xhttp: settings of the host', 'xhttp: padding of the server'),
  ],
  '51. YAML reads a short id as a number': [cells('vless tcp reality, short id 2351e1')],
  '52. two proxies have one name': [cells('remark of another host')],
  '53. IPv6 without brackets, a user of Shadowsocks 2022 in base64, a list in another alphabet': [
    cells('IPv6 [::1]: vless tcp reality', 'IPv6 ::1: vless ws tls', 'shadowsocks 2022-blake3-aes-128-gcm tcp none'),
    tests(LINKS, 'of links has one link per line, or is Base64 as a whole'),
  ],
  '54. xhttp has no mode in its extra settings': [cells('vless xhttp packet-up tls')],
  '55. users get the proxies of others who ask at the same time': [
    tests(
      `${MANAGEMENT}/subscriptions/subscription-client.integration.spec.ts`,
      'each get their own subscription, in every format (clients.md 55)',
    ),
  ],
  '56. a long subscription ends early': [
    tests(
      `${LIBRARY}/formats/every-format.spec.ts`,
      'a long document contains all of five thousand proxies (clients.md 56)',
    ),
  ],
  '57. sing-box refuses what it has no more': [
    tests(REFUSED, 'options that sing-box %s no longer has or does not have yet (clients.md 32)'),
  ],
  '58. Clash takes a remark for something else, and its http header has no host': [
    cells('remark null', 'remark - [list]: {{map}} !tag *alias |', 'vmess tcp + http none'),
  ],
};

/** Quirks of real clients (shared/field/panel-reference.md §5.12), by their number there. */
const CLIENT_QUIRKS: Readonly<Record<string, readonly Proof[]>> = {
  '1. no security is said, not left out': [
    tests(LINKS, 'a Trojan link always names its security, because clients default to TLS'),
  ],
  '2. blanks are %20, and stay in extra settings': [
    cells('vless ws tls', 'headers and a random browser: vless xhttp stream-up tls'),
  ],
  '3. REALITY has a fingerprint': [cells('vless tcp reality', 'fingerprint chrome: vless tcp reality')],
  '4. one bad host does not spoil the others': [
    tests(
      `${LIBRARY}/formats/every-format.spec.ts`,
      'a document leaves a proxy out or not regardless of the other proxies in it',
    ),
    tests(
      REFUSED,
      'anything that sing-box %s refuses or crashes on when it starts (clients.md 31)',
      'anything in %s that mihomo refuses or misreads (clients.md 33)',
      'anything that Xray refuses (clients.md 35)',
    ),
  ],
  '5. names come once': [
    tests(
      `${LIBRARY}/formats/every-format.spec.ts`,
      'a document can be parsed, has unique names, and counts the proxies that it leaves out',
    ),
  ],
  '6. a short id may be empty': [
    cells('vless tcp reality, empty short id', 'vless vision tcp reality, empty short id'),
  ],
  '7. ALPN is one parameter of a link, and a list elsewhere': [cells('ALPN that the host sets: vless tcp tls')],
  '8. no limit is a total of 0': [
    tests(HEADERS, 'the headers contain a total of 0 when there is no limit, because some clients need one'),
  ],
  '9. titles and news are in base64': [
    tests(HEADERS, 'security row 16: the headers encode any text in plain characters, and it can be read back'),
  ],
  '10. early data stays in the path of Xray alone': [cells('vless ws ?ed=2048 tls', 'trojan ws ?ed=2048 none')],
  '11. a fallback child has the port of its parent': [
    cells('fallback over a socket: vless tls → vless xhttp'),
    tests(`${LIBRARY}/compile/compile-hosts.spec.ts`, 'neither the host nor its inbound socket has a port'),
  ],
  '12. xmux and padding are texts in mihomo': [cells('xhttp: settings of the host', 'xhttp: padding of the server')],
  '13. the ECH list has another name in links': [cells('ECH: vless tcp tls', 'ECH: trojan grpc tls')],
  '14. a user of Shadowsocks is in the alphabet of addresses': [
    cells('shadowsocks tcp none'),
    tests(LINKS, 'a Shadowsocks link encodes the user of a legacy method in base64url without padding'),
  ],
  '15. hosts of a status are messages': [
    tests(
      `${MANAGEMENT}/subscriptions/subscription-client.integration.spec.ts`,
      'show users why they are not served, with the values of all variables',
    ),
  ],
};

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const names = new Set(allCells(NO_MATERIAL).map(({ name }) => name));
const numbersIn = (seeds: typeof CLIENT_QUIRKS) => Object.keys(seeds).map((title) => Number.parseInt(title, 10));
const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at);

async function missingOf(proof: Proof): Promise<string[]> {
  if ('cells' in proof) return proof.cells.filter((name) => !names.has(name));
  const source = await readFile(join(ROOT, proof.file), 'utf8');
  return proof.tests.filter((name) => !source.includes(name));
}

describe('there is a test for the known problem or quirk', () => {
  it.each([...Object.entries(KNOWN_PROBLEMS), ...Object.entries(CLIENT_QUIRKS)])(
    'there is a test for the known problem %s',
    async (_, proofs) => {
      expect((await Promise.all(proofs.map(missingOf))).flat()).toEqual([]);
    },
  );

  it('every number from 42 to 58 and from 1 to 15 has a test', () => {
    expect([numbersIn(KNOWN_PROBLEMS), numbersIn(CLIENT_QUIRKS)]).toEqual([from(42, 58), from(1, 15)]);
  });
});
