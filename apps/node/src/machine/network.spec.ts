import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readKernelFile } from './kernel-files.js';
import { listKernelDirectory, parseInterfaceBytes, readInterfaceBytes } from './network.js';

const HEAD = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
`;
const line = (name: string, received: number, sent: number) =>
  `${name.padStart(6)}: ${received} 15 0 0 0 0 0 0 ${sent} 15 0 0 0 0 0 0\n`;

/** A machine with interfaces, each with its sysfs entries, its link type and its master. */
function machine(interfaces: Record<string, { entries?: string[]; type?: number; master?: string }>) {
  const names = Object.keys(interfaces);
  const files: Record<string, string> = {
    '/proc/net/dev': HEAD + names.map((name, index) => line(name, 100 + index, 200 + index)).join(''),
  };
  for (const [name, { type = 1, master }] of Object.entries(interfaces)) {
    files[`/sys/class/net/${name}/type`] = `${type}\n`;
    if (master) files[`/sys/class/net/${name}/master/uevent`] = `INTERFACE=${master}\nIFINDEX=3\n`;
  }
  return readInterfaceBytes(
    (path) => files[path],
    (directory) => interfaces[directory.slice('/sys/class/net/'.length)]?.entries ?? [],
  );
}

const CABLE = ['address', 'statistics', 'type'];
const DEVICE = [...CABLE, 'device'];
const LO = { lo: { entries: CABLE, type: 772 } };

describe('network interface counters', () => {
  it('interface counters are read as received and sent bytes', () => {
    expect([...machine({ ...LO, eth0: { entries: DEVICE } })]).toEqual([['eth0', { received: 101, sent: 201 }]]);
  });

  it.each([
    [
      'a server with Docker',
      ['eth0'],
      {
        eth0: { entries: DEVICE },
        docker0: { entries: [...CABLE, 'bridge'] },
        veth1f: { entries: [...CABLE, 'master'], master: 'docker0' },
        wg0: { entries: CABLE, type: 65534 },
        ifb0: { entries: CABLE },
      },
    ],
    [
      'two cards in one bond, with a VLAN',
      ['eno1', 'eno2'],
      {
        eno1: { entries: [...DEVICE, 'master'], master: 'bond0' },
        eno2: { entries: [...DEVICE, 'master'], master: 'bond0' },
        bond0: { entries: [...CABLE, 'bonding', 'lower_eno1', 'lower_eno2'] },
        'bond0.7': { entries: [...CABLE, 'lower_bond0'] },
      },
    ],
    [
      'a virtual function behind a synthetic card',
      ['eth0'],
      {
        eth0: { entries: [...DEVICE, 'lower_enP1'] },
        enP1: { entries: [...DEVICE, 'master'], master: 'eth0' },
      },
    ],
    ['a container', ['eth0'], { eth0: { entries: CABLE }, tun0: { entries: [...CABLE, 'tun_flags'], type: 65534 } }],
    ['a container with two networks', ['eth0', 'eth1'], { eth0: { entries: CABLE }, eth1: { entries: CABLE } }],
    [
      'containers in a container',
      ['eth0'],
      {
        eth0: { entries: CABLE },
        docker0: { entries: [...CABLE, 'bridge'] },
        veth2: { entries: [...CABLE, 'master'], master: 'docker0' },
        sit0: { entries: CABLE, type: 776 },
      },
    ],
    ['a venet, whose type is void', ['venet0'], { venet0: { entries: CABLE, type: 65535 } }],
    ['no sysfs', ['eth0'], { eth0: {} }],
  ])('interface counters count each byte once: %s', (_, counted, interfaces) => {
    expect([...machine({ ...LO, ...interfaces }).keys()]).toEqual(counted);
  });

  it('there are no interface counters without /proc', () => {
    expect(
      readInterfaceBytes(
        () => undefined,
        () => [],
      ).size,
    ).toBe(0);
  });

  it('the interface that leads out of this machine is counted', () => {
    expect([...readInterfaceBytes(readKernelFile, listKernelDirectory).keys()]).not.toContain('lo');
  });

  it('/proc/net/dev with any text is parsed without an error', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const { received, sent } of parseInterfaceBytes(text).values()) {
          expect(received).toBeGreaterThanOrEqual(0);
          expect(sent).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });

  const counter = fc.nat({ max: 2 ** 40 });

  it('every interface counter of /proc/net/dev is read', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9.@-]{0,14}$/), fc.tuple(counter, counter)), (all) => {
        const entries = Object.entries(all);
        const text = HEAD + entries.map(([name, [received, sent]]) => line(name, received, sent)).join('');
        expect([...parseInterfaceBytes(text)]).toEqual(
          entries.map(([name, [received, sent]]) => [name, { received, sent }]),
        );
      }),
    );
  });
});
