import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CONTAINER_CACHE, type Podman } from './podman.js';

const run = promisify(execFile);
const FOLDER = join(import.meta.dirname, '../../../..');

/** The image that deploy/Dockerfile begins with, without its digest, which no stand-in can have. */
export async function baseImageName(): Promise<string> {
  const [, name] = /^ARG BASE=([^\s@]+)@sha256:/m.exec(await readFile(join(FOLDER, 'deploy/Dockerfile'), 'utf8')) ?? [];
  if (name === undefined) throw new Error('deploy/Dockerfile has no argument BASE with a digest');
  return name;
}

/**
 * Gives podman an image with the official name where no image registry can be reached: Debian's minimal system with the
 * Node.js of the npm package `node`. The Dockerfile is built from it by its argument BASE. Where a registry answers, the real
 * one is taken.
 */
export async function ensureBaseImage(podman: Podman): Promise<string> {
  const name = await baseImageName();
  if (await podman.succeeds('image', 'exists', name)) return 'from an earlier run';
  if (await podman.succeeds('pull', '--quiet', name)) return 'the official image';
  const major = /:(\d+)-/.exec(name)?.[1] ?? '';
  const archive = join(CONTAINER_CACHE, `node-${major}-bookworm.tar`);
  if (!(await stat(archive).catch(() => undefined))) await makeRootFileSystem(archive, major, ['ca-certificates']);
  await podman.call('import', '--change', 'CMD ["node"]', archive, name);
  return "a stand-in of Debian's packages";
}

/** What a server of an operator has, and these tests need of it. */
const SERVER_PACKAGES = [
  'ca-certificates',
  'systemd',
  'systemd-sysv',
  'dbus',
  'curl',
  'age',
  'iproute2',
  'libcap2-bin',
];

/** Gives podman an image of a server on which systemd is process 1 and Node.js is /usr/bin/node. Returns its name. */
export async function ensureServerImage(podman: Podman): Promise<string> {
  const name = 'localhost/rampart-test-server:bookworm-1';
  if (await podman.succeeds('image', 'exists', name)) return name;
  const archive = join(CONTAINER_CACHE, 'server-bookworm-1.tar');
  if (!(await stat(archive).catch(() => undefined))) {
    const link = 'ln -s ../local/bin/node "$1/usr/bin/node"';
    await makeRootFileSystem(archive, '24', SERVER_PACKAGES, [`--customize-hook=${link}`]);
  }
  await podman.call('import', '--change', 'CMD ["/sbin/init"]', archive, name);
  return name;
}

async function makeRootFileSystem(
  archive: string,
  major: string,
  packages: readonly string[],
  hooks: readonly string[] = [],
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'rampart-base-'));
  try {
    const local = join(folder, 'usr/local');
    await run('npm', ['install', '--prefix', folder, '--no-save', `node@${major}`, 'npm@11'], { cwd: folder });
    const modules = join(folder, 'node_modules');
    await cp(join(modules, 'node/bin/node'), join(local, 'bin/node'), { recursive: true, dereference: true });
    await cp(join(modules, 'npm'), join(local, 'lib/node_modules/npm'), { recursive: true });
    for (const tool of ['npm', 'npx'])
      await symlink(`../lib/node_modules/npm/bin/${tool}-cli.js`, join(local, 'bin', tool));
    // mmdebstrap takes the format from the end of the name.
    const fresh = archive.replace(/\.tar$/, '.new.tar');
    await run('mmdebstrap', [
      '--variant=minbase',
      `--include=${packages.join(',')}`,
      `--customize-hook=copy-in ${local} /usr`,
      ...hooks,
      'bookworm',
      fresh,
    ]);
    await rename(fresh, archive);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
