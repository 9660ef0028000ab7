import { describe, expect, it } from '@jest/globals';
import { machineAccess } from './machine-access.js';

const FILES = 'would hand out files of the node to everybody; use the type "proxy" or "string"';
const KEYS = 'would write the keys of all connections into a file of the node; remove it';
const PINGS = 'has the mask "xicmp", for which the engine would read and answer all pings of the node; remove it';
const ROUTES = 'would change the routes of the node, for its other programs too; remove it';
const ENVIRONMENT =
  "would change the engine's environment; remove it, and set such variables where the node is started";
const DOWNLOADS = 'would download files to the node and replace others; remove it, and bring the files there yourself';

describe(machineAccess.name, () => {
  it.each([
    [{ env: {} }, 'env', ENVIRONMENT],
    [{ GeoData: [] }, 'GeoData', DOWNLOADS],
    [{ a: [{}, { masterKeyLog: '/tmp/keys' }] }, 'a[1].masterKeyLog', KEYS],
    [{ a: { MASTERKEYLOG: 'None' } }, 'a.MASTERKEYLOG', KEYS],
    [{ a: { masquerade: { url: '/', Type: 'File' } } }, 'a.masquerade', FILES],
    [{ a: { autoSystemRoutingTable: ['10.0.0.0/8'] } }, 'a.autoSystemRoutingTable', ROUTES],
    [{ a: { autoSystemRoutingTable: true } }, 'a.autoSystemRoutingTable', ROUTES],
    [{ a: { finalmask: { tcp: [], udp: [{ type: 'salt' }, { id: 1, TYPE: 'XICMP' }] } } }, 'a.finalmask', PINGS],
  ])('finds the access of %j', (tree, path, problem) => {
    expect([...machineAccess(tree)]).toEqual([{ path, problem }]);
  });

  it.each([
    { env: null },
    { a: { env: {}, geodata: {} } },
    { a: { masterKeyLog: '' } },
    { a: { masterKeyLog: 'none' } },
    { a: { masterKeyLog: ['/tmp/keys'] } },
    { a: { masquerade: { type: 'proxy', url: 'file' } } },
    { a: { masquerade: { type: ['file'] } } },
    { a: { masquerade: 'file' } },
    { a: { other: { type: 'file' } } },
    ...[null, false, '', []].map((autoSystemRoutingTable) => ({ a: { autoSystemRoutingTable } })),
    { a: { finalmask: { tcp: [{ type: 'salt' }], udp: 'xicmp' } } },
    { a: { finalmask: { udp: ['xicmp', { id: 'xicmp' }] } } },
    { a: { finalmask: 'xicmp', other: { udp: [{ type: 'xicmp' }] } } },
  ])('finds none in %j', (tree) => {
    expect([...machineAccess(tree)]).toEqual([]);
  });

  it('goes on inside what it found', () => {
    const masquerade = { type: 'file', masterKeyLog: 'a' };
    expect([...machineAccess({ masquerade })].map(({ path }) => path)).toEqual([
      'masquerade',
      'masquerade.masterKeyLog',
    ]);
  });
});
