import type { ReadKernelFile } from './kernel-files.js';

export interface CgroupMount {
  readonly version: 1 | 2;
  /** The group that is mounted at the mount point. */
  readonly root: string;
  readonly mountPoint: string;
  /** Controllers of a version 1 mount; empty for version 2, which has all of them in one tree. */
  readonly controllers: readonly string[];
}

export interface CgroupMembership {
  /** The controllers of version 1; the list is empty for version 2. */
  readonly controllers: readonly string[];
  readonly path: string;
}

export interface CgroupLevels {
  readonly version: 1 | 2;
  /** Directories from our own group up to the highest visible one; each of them may have a limit. */
  readonly directories: readonly string[];
}

/** Parses `/proc/self/cgroup`: `4:cpu,cpuacct:/docker/1f8e`, `0::/system.slice/node.service`. */
export function parseCgroupMemberships(text: string): CgroupMembership[] {
  return text.split('\n').flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (controllers === undefined || path === undefined) return [];
    return [{ controllers: controllers === '' ? [] : controllers.split(','), path }];
  });
}

/** Parses `/proc/self/mountinfo`: `35 31 0:32 /root /mount/point rw,relatime shared:9 - cgroup cgroup rw,memory`. */
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

/** The groups in which a controller limits this process; undefined where there are none, or none that are visible. */
export function cgroupLevels(read: ReadKernelFile, controller: string): CgroupLevels | undefined {
  const memberships = parseCgroupMemberships(read('/proc/self/cgroup') ?? '');
  const mounts = parseCgroupMounts(read('/proc/self/mountinfo') ?? '');
  // A controller is in one tree only; on machines with both versions that is version 1.
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

/** In a container the path is that of the host, or unrelated; its own group is then at the mount point. */
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

/** Spaces, tabs, line breaks and backslashes are escaped as octal numbers. */
const unescapeMountPath = (path: string): string =>
  path.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
