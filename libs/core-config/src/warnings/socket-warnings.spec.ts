import { describe, expect, it } from '@jest/globals';
import { parseCoreConfig } from '../parse-core-config.js';
import { core, type Json, reality, vless } from '../testing/core.js';

const SOCKET = '/var/lib/rampart-management/control.sock';
const OTHERS = [
  vless({ tag: 'path', listen: '/run/own.sock,0666', port: undefined }),
  { tag: 'name', protocol: 'http', listen: '@own', settings: {} },
];

const fallbacks = (...list: unknown[]): Json => ({ settings: { decryption: 'none', fallbacks: list } });
const target = (change: Json): Json => ({ streamSettings: reality(change) });

describe('warnings of sockets of other programs', () => {
  const warnings = (inbound: Json, options = {}) =>
    parseCoreConfig(core(vless(inbound), ...OTHERS), options).warnings.filter(({ code }) => code === 'foreign_socket');

  it.each<[string, Json, string, string]>([
    ['a fallback', fallbacks({ dest: 80 }, { dest: SOCKET }), SOCKET, 'settings.fallbacks[1].dest'],
    [
      'a fallback',
      { settings: { decryption: 'none', Fallbacks: [{ DEST: '@x' }] } },
      '@x',
      'settings.fallbacks[0].dest',
    ],
    ['a fallback', fallbacks({ type: 'unix', dest: 'data/x.sock' }), 'data/x.sock', 'settings.fallbacks[0].dest'],
    ['a fallback', fallbacks({ type: '', dest: SOCKET }), SOCKET, 'settings.fallbacks[0].dest'],
    ['a fallback', fallbacks({ dest: '/run/own.sock,0666' }), '/run/own.sock,0666', 'settings.fallbacks[0].dest'],
    ['a target', target({ target: SOCKET }), SOCKET, 'streamSettings.realitySettings.target'],
    ['a target', target({ target: undefined, dest: SOCKET }), SOCKET, 'streamSettings.realitySettings.dest'],
  ])('security row 81: %s of %j is warned of', (_, inbound, socket, place) => {
    const message = `inbound in passes connections on to the socket ${socket}, at which no inbound of this core listens: everybody who reaches the inbound can send anything to the program there, as the account of the engine`;
    const expected = [{ path: `inbounds[0].${place}`, code: 'foreign_socket', message }];
    expect(warnings(inbound)).toEqual(expected);
    expect(warnings(inbound, { excludeTags: ['in'] })).toEqual(expected);
  });

  it.each<[Json]>([
    [fallbacks({ dest: 80 }, { dest: '127.0.0.1:80' }, { dest: 'serve-ws-none' }, { alpn: 'h2' })],
    [fallbacks({ dest: '/run/own.sock' }, { dest: '@own' })],
    [fallbacks({ type: 'tcp', dest: SOCKET })],
    [target({ target: 'a.example:443', dest: SOCKET })],
    [target({ target: '/run/own.sock' })],
    [{ streamSettings: { realitySettings: { target: SOCKET } } }],
  ])('%j is not warned of', (inbound) => {
    expect(warnings(inbound)).toEqual([]);
  });
});
