import type { ReadKernelFile } from './kernel-files.js';

export interface CgroupMount {
  readonly version: 1 | 2;
  /** The group that stands at the mount point. */
  readonly root: string;
  readonly mountPoint: string;
  /** Of version 1; version 2 has all of them in one tree. */
  readonly controllers: readonly string[];
}

export interface CgroupMembership {
  /** Empty for the tree of version 2. */
  readonly controllers: readonly string[];
  readonly path: string;
}

export interface CgroupLevels {
  readonly version: 1 | 2;
  /** Directories from our own group up to the highest that can be seen: each of them may limit us. */
  readonly directories: readonly string[];
}

/** `/proc/self/cgroup`: `4:cpu,cpuacct:/docker/1f8e`, `0::/system.slice/node.service`. */
export function parseCgroupMemberships(text: string): CgroupMembership[] {
  return text.split('\n').flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (controllers === undefined || path === undefined) return [];
    return [{ controllers: controllers === '' ? [] : controllers.split(','), path }];
  });
}

/** `/proc/self/mountinfo`: `35 31 0:32 /root /mount/point rw,relatime shared:9 - cgroup cgroup rw,memory`. */
export function parseCgroupMounts(text: string): CgroupMount[] {
  return text.split('\n').flatMap((line) => {
    const [mount = '', filesystem = ''] = line.split(' - ');
    const [, , , root, mountPoint] = mount.split(' ');
    const [type, , options = ''] = filesystem.split(' ');
    if (root === undefined || mountPoint === undefined || (type !== 'cgroup' && type !== 'cgroup2')) return [];
    const version = type === 'cgroup' ? 1 : 2;
    const controllers = version === 1 ? options.split(',') : [];
    return [{ version, root: unescapeMountPath(root), mountPoint: unescapeMountPath(mountPoint), controllers }];
  });
}

/** Where a controller limits this process; nothing where there are no groups, or none that can be seen. */
export function cgroupLevels(read: ReadKernelFile, controller: string): CgroupLevels | undefined {
  const memberships = parseCgroupMemberships(read('/proc/self/cgroup') ?? '');
  const mounts = parseCgroupMounts(read('/proc/self/mountinfo') ?? '');
  // A controller is in one tree only; on machines with both versions that is the one of version 1.
  const first = mounts.find(({ version, controllers }) => version === 1 && controllers.includes(controller));
  const mount = first ?? mounts.find(({ version }) => version === 2);
  const member = memberships.find(({ controllers }) =>
    mount?.version === 1 ? controllers.includes(controller) : controllers.length === 0,
  );
  if (mount === undefined || member === undefined) return undefined;
  return {
    version: mount.version,
    directories: directoriesUpwards(mount.mountPoint, pathBelowRoot(mount.root, member.path)),
  };
}

/** In a container the group is named as the host sees it, or not at all, and stands at the mount point itself. */
function pathBelowRoot(root: string, path: string): string[] {
  const names = path.split('/').filter((name) => name !== '');
  const base = root.split('/').filter((name) => name !== '');
  const inside = base.every((name, index) => name === names[index]) && !names.includes('..');
  return inside ? names.slice(base.length) : [];
}

function directoriesUpwards(mountPoint: string, names: readonly string[]): string[] {
  const levels: string[] = [];
  for (let length = names.length; length >= 0; length -= 1) {
    levels.push([mountPoint, ...names.slice(0, length)].join('/'));
  }
  return levels;
}

/** Space, tab, line break and backslash are written as octal numbers. */
const unescapeMountPath = (path: string): string =>
  path.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
