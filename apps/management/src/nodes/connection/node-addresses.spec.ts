import { describe, expect, it } from '@jest/globals';
import { readManagementEnv } from '../../env/management-env.js';
import { NameLookups } from './name-lookups.js';
import { NodeAddresses } from './node-addresses.js';

const NEVER = 'is an address that no node can have';
const NOT_PUBLIC = 'is not a public address, and RAMPART_NODE_ADDRESSES admits no other';

/** Resolves names from a table instead of the network. */
class Names extends NodeAddresses {
  readonly asked: string[] = [];

  constructor(
    private readonly answers: Record<string, string[]>,
    allowed?: 'any' | 'public',
  ) {
    super(readManagementEnv(allowed ? { RAMPART_NODE_ADDRESSES: allowed } : {}), new NameLookups());
  }

  protected override lookUp(name: string): Promise<string[]> {
    this.asked.push(name);
    return Promise.resolve(this.answers[name] ?? []);
  }
}

describe(NodeAddresses.name, () => {
  it.each([
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::169.254.169.254',
    '64:ff9b::169.254.169.254',
    '64:ff9b:1::169.254.169.254',
    '2002:a9fe:a9fe::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    'fe80::1',
    'fe80::1%eth0',
    'fd00:ec2::254',
    '100.100.100.200',
    '168.63.129.16',
    '0.0.0.0',
    '::',
    '224.0.0.1',
    'ff02::1',
    '255.255.255.255',
  ])('security row 9: %s is no address of a node, whatever is admitted', (address) => {
    expect(new Names({}).problemOf(address)).toBe(NEVER);
    expect(new Names({}, 'public').problemOf(address)).toBe(NEVER);
  });

  it.each(['127.0.0.1', '::1', '10.1.2.3', '192.168.1.1', '100.64.0.1', 'fd12::1', '::ffff:10.0.0.1', '2002:a00:1::1'])(
    'security row 9: %s is admitted, unless only public addresses are',
    (address) => {
      expect(new Names({}).problemOf(address)).toBeUndefined();
      expect(new Names({}, 'public').problemOf(address)).toBe(NOT_PUBLIC);
    },
  );

  it.each(['8.8.8.8', '2606:4700::1', '64:ff9b::8.8.8.8', '2002:808:808::1'])(
    'the public address %s is always admitted',
    (address) => {
      expect(new Names({}, 'public').problemOf(address)).toBeUndefined();
    },
  );

  it('security row 9: looks a name up once, and gives the address that it has judged', async () => {
    const names = new Names({ 'node.example': ['169.254.169.254', '10.0.0.7'], 'trap.example': ['169.254.169.254'] });
    expect(await names.resolve('node.example')).toBe('10.0.0.7');
    expect(names.asked).toEqual(['node.example']);
    await expect(names.resolve('trap.example')).rejects.toMatchObject({
      name: 'NodeProblem',
      message: `169.254.169.254, to which trap.example leads, ${NEVER}`,
    });
    await expect(names.resolve('169.254.169.254')).rejects.toMatchObject({ message: `169.254.169.254 ${NEVER}` });
    await expect(names.resolve('void.example')).rejects.toMatchObject({
      message: 'its name void.example leads nowhere now',
    });
  });

  it('accepts no RAMPART_NODE_ADDRESSES but any and public', () => {
    expect(() => readManagementEnv({ RAMPART_NODE_ADDRESSES: 'private' })).toThrow(
      'RAMPART_NODE_ADDRESSES must be any or public',
    );
  });

  it('does not look up an IP address', async () => {
    const names = new Names({});
    expect(await names.resolve('10.0.0.7')).toBe('10.0.0.7');
    expect(names.asked).toEqual([]);
  });

  it('security row 9: judges what the system makes of a number', async () => {
    const addresses = new NodeAddresses(readManagementEnv({}), new NameLookups());
    for (const spelling of ['2852039166', '0xa9fea9fe', '0251.0376.0251.0376']) {
      await expect(addresses.resolve(spelling)).rejects.toMatchObject({
        message: `169.254.169.254, to which ${spelling} leads, ${NEVER}`,
      });
    }
  });
});
