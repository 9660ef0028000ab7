import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cpuGroups, limitingMemoryGroup, memoryAvailable, memoryGroups, memoryInUse, memoryLimit } from './cgroup.js';
import { cgroupLevels, parseCgroupMemberships, parseCgroupMounts } from './cgroup-levels.js';
import type { ReadKernelFile } from './kernel-files.js';

const GIB = 2 ** 30;

/** A machine with only these files. */
const machine =
  (files: Record<string, string>): ReadKernelFile =>
  (path) =>
    files[path];

/** Docker on a machine with version 2: the group is the root of its own namespace. */
const DOCKER_2 = {
  '/proc/self/cgroup': '0::/\n',
  '/proc/self/mountinfo': `624 531 0:55 / / rw,relatime master:203 - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/AB - c
633 626 0:28 /../../docker/4f1b /sys/fs/cgroup ro,nosuid,nodev,noexec,relatime - cgroup2 cgroup rw,nsdelegate,memory_recursiveprot
`,
  '/sys/fs/cgroup/memory.max': '536870912\n',
  '/sys/fs/cgroup/memory.current': '201326592\n',
  '/sys/fs/cgroup/memory.stat':
    'anon 92274688\nfile 104857600\ninactive_anon 0\ninactive_file 67108864\nactive_file 4096\n',
  '/sys/fs/cgroup/cpu.max': '150000 100000\n',
  '/sys/fs/cgroup/cpu.stat': 'usage_usec 81245711\nuser_usec 60000000\nsystem_usec 21245711\nnr_periods 0\n',
};

/** A systemd service with a limit, in a slice with a lower one. */
const SYSTEMD_2 = {
  '/proc/self/cgroup': '0::/rampart.slice/rampart-node.service\n',
  '/proc/self/mountinfo':
    '35 24 0:30 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n',
  '/sys/fs/cgroup/rampart.slice/rampart-node.service/memory.max': `${4 * GIB}\n`,
  '/sys/fs/cgroup/rampart.slice/rampart-node.service/memory.current': `${GIB}\n`,
  '/sys/fs/cgroup/rampart.slice/rampart-node.service/cpu.max': 'max 100000\n',
  '/sys/fs/cgroup/rampart.slice/rampart-node.service/cpu.stat': 'usage_usec 5\n',
  '/sys/fs/cgroup/rampart.slice/memory.max': `${3 * GIB}\n`,
  '/sys/fs/cgroup/rampart.slice/memory.current': `${2 * GIB}\n`,
  '/sys/fs/cgroup/rampart.slice/memory.stat': `inactive_file ${GIB}\n`,
  '/sys/fs/cgroup/rampart.slice/cpu.max': '50000 100000\n',
  '/sys/fs/cgroup/rampart.slice/cpu.stat': 'usage_usec 7000000\n',
};

/** Docker on a machine with version 1: the membership has the host's path, the mount shows only the group. */
const DOCKER_1 = {
  '/proc/self/cgroup': `12:pids:/docker/9be0
11:memory:/docker/9be0
4:cpu,cpuacct:/docker/9be0
1:name=systemd:/docker/9be0
0::/system.slice/containerd.service
`,
  '/proc/self/mountinfo': `990 989 0:30 /docker/9be0 /sys/fs/cgroup/cpu,cpuacct ro,nosuid,nodev,noexec,relatime master:15 - cgroup cgroup rw,cpu,cpuacct
997 989 0:37 /docker/9be0 /sys/fs/cgroup/memory ro,nosuid,nodev,noexec,relatime master:22 - cgroup cgroup rw,memory
`,
  '/sys/fs/cgroup/memory/memory.limit_in_bytes': '268435456\n',
  '/sys/fs/cgroup/memory/memory.usage_in_bytes': '104857600\n',
  '/sys/fs/cgroup/memory/memory.stat':
    'cache 50000000\ninactive_file 1\nhierarchical_memory_limit 268435456\ntotal_inactive_file 41943040\n',
  '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us': '200000\n',
  '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us': '100000\n',
  '/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage': '3000000000\n',
};

/** Version 1 without limits, with version 2 mounted beside it. */
const UNLIMITED_1 = {
  '/proc/self/cgroup': '4:memory:/api/1f8e\n2:cpuacct:/\n1:cpu:/\n0::/\n',
  '/proc/self/mountinfo': `32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
33 31 0:30 / /sys/fs/cgroup/cpuacct rw,relatime - cgroup cgroup rw,cpuacct
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
`,
  '/sys/fs/cgroup/memory/api/1f8e/memory.limit_in_bytes': '9223372036854771712\n',
  '/sys/fs/cgroup/memory/api/1f8e/memory.usage_in_bytes': '451919872\n',
  '/sys/fs/cgroup/memory/api/1f8e/memory.stat': 'hierarchical_memory_limit 9223372036854771712\n',
  '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
  '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
  '/sys/fs/cgroup/cpuacct/cpuacct.usage': '3000000000\n',
};

describe('memory limits', () => {
  it.each([
    ['a container, version 2', DOCKER_2, { limit: 512 * 2 ** 20, inUse: 128 * 2 ** 20 }],
    ['a container, version 1', DOCKER_1, { limit: 256 * 2 ** 20, inUse: 60 * 2 ** 20 }],
    ['a slice above the service', SYSTEMD_2, { limit: 3 * GIB, inUse: GIB }],
    ['no limit, version 1', UNLIMITED_1, undefined],
    ['no limit, version 2', { ...DOCKER_2, '/sys/fs/cgroup/memory.max': 'max\n' }, undefined],
    ['a limit above the machine', { ...DOCKER_2, '/sys/fs/cgroup/memory.max': `${64 * GIB}` }, undefined],
    ['no files', {}, undefined],
    ['no controller at this level', { ...DOCKER_2, '/sys/fs/cgroup/memory.current': undefined }, undefined],
  ])('the memory limit of a node is read from its files: %s', (_, files, group) => {
    expect(limitingMemoryGroup(machine(files as Record<string, string>), 16 * GIB)).toEqual(group);
  });

  it('the memory limit of a version 1 container includes that of an invisible group above', () => {
    const stat = 'hierarchical_memory_limit 134217728\ntotal_inactive_file 0\n';
    const read = machine({ ...DOCKER_1, '/sys/fs/cgroup/memory/memory.stat': stat });
    expect(memoryGroups(read)).toEqual([{ limit: 134217728, inUse: 104857600 }]);
  });

  it('the memory limit of this machine can be read, whatever it is', () => {
    const [limit, inUse] = [memoryLimit(), memoryInUse()];
    expect(limit === undefined).toBe(inUse === undefined);
    expect(memoryAvailable()).toBeGreaterThan(0);
    if (limit !== undefined) expect(memoryAvailable()).toBeLessThanOrEqual(limit);
  });
});

describe('processor limits', () => {
  it.each([
    ['a container, version 2', DOCKER_2, [{ cpus: 1.5, used: 81245711 }]],
    ['a container, version 1', DOCKER_1, [{ cpus: 2, used: 3000000 }]],
    ['a slice above the service', SYSTEMD_2, [{ cpus: 0.5, used: 7000000 }]],
    ['no limit, version 1', UNLIMITED_1, []],
    ['no files', {}, []],
  ])('the memory limit of a node is read from its files: %s', (_, files, groups) => {
    expect(cpuGroups(machine(files as Record<string, string>))).toEqual(groups);
  });
});

describe(cgroupLevels.name, () => {
  it('cgroup levels go from the own group upwards', () => {
    expect(cgroupLevels(machine(SYSTEMD_2), 'memory')).toEqual({
      version: 2,
      directories: [
        '/sys/fs/cgroup/rampart.slice/rampart-node.service',
        '/sys/fs/cgroup/rampart.slice',
        '/sys/fs/cgroup',
      ],
    });
  });

  it('cgroup levels are of the version that has the controller', () => {
    expect(cgroupLevels(machine(UNLIMITED_1), 'memory')?.directories[0]).toBe('/sys/fs/cgroup/memory/api/1f8e');
    expect(cgroupLevels(machine(UNLIMITED_1), 'io')?.directories).toEqual(['/sys/fs/cgroup/unified']);
  });

  it('escaped cgroup paths are decoded', () => {
    expect(parseCgroupMounts('1 2 0:3 /a\\040b /mnt/c\\134d rw - cgroup2 cgroup2 rw')).toEqual([
      { version: 2, root: '/a b', mountPoint: '/mnt/c\\d', controllers: [] },
    ]);
  });

  it('cgroup paths may contain colons', () => {
    expect(parseCgroupMemberships('1:name=systemd:/a:b\n')).toEqual([{ controllers: ['name=systemd'], path: '/a:b' }]);
  });

  const name = fc.stringMatching(/^[a-z0-9:@_-]{1,12}$/);

  it('cgroup levels never leave the mount point, whatever the group is called', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(name, fc.constant('..'))), fc.array(name), (path, root) => {
        const levels = cgroupLevels(
          machine({
            '/proc/self/cgroup': `0::/${path.join('/')}\n`,
            '/proc/self/mountinfo': `35 24 0:30 /${root.join('/')} /cg rw - cgroup2 cgroup2 rw\n`,
          }),
          'memory',
        );
        expect(levels?.directories.at(-1)).toBe('/cg');
        for (const directory of levels?.directories ?? []) expect(directory).not.toContain('..');
      }),
    );
  });

  it('cgroup files with any text are parsed without an error', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (cgroup, mountinfo) => {
        const read = machine({ '/proc/self/cgroup': cgroup, '/proc/self/mountinfo': mountinfo });
        expect(memoryGroups(read)).toEqual([]);
        expect(cpuGroups(read)).toEqual([]);
      }),
    );
  });
});
