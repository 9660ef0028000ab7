import { describe, expect, it } from '@jest/globals';
import { enableTcpMigration, TCP_MIGRATE_REQ_FILE } from './tcp-migration.js';

/** A kernel with only this file, which accepts writes or ignores them. */
function kernel(value: string | undefined, { writable = true, mayWrite = true } = {}) {
  const written: string[][] = [];
  let now = value;
  const note = enableTcpMigration(
    (path) => (path === TCP_MIGRATE_REQ_FILE ? now : undefined),
    (path, text) => {
      written.push([path, text]);
      if (writable) now = `${text}\n`;
    },
    mayWrite,
  );
  return { note, written };
}

describe('connections that are passed on between listeners', () => {
  it('are left alone where they are passed on already', () => {
    expect(kernel('1\n')).toEqual({ note: undefined, written: [] });
  });

  it('are passed on from now on where that may be set', () => {
    expect(kernel('0\n')).toEqual({
      note: 'connections that are just opening outlive a change: turned on net.ipv4.tcp_migrate_req',
      written: [[TCP_MIGRATE_REQ_FILE, '1']],
    });
  });

  it('are left to the operator who wants it so', () => {
    expect(kernel('0\n', { mayWrite: false })).toEqual({
      note: 'a new configuration refuses connections that are just opening: set net.ipv4.tcp_migrate_req=1 (sysctl -w on the host, or --sysctl for a container with a network of its own)',
      written: [],
    });
  });

  it('are told of where it may not', () => {
    expect(kernel('0\n', { writable: false })).toEqual({
      note:
        'a new configuration refuses connections that are just opening: set net.ipv4.tcp_migrate_req=1 ' +
        '(sysctl -w on the host, or --sysctl for a container with a network of its own)',
      written: [[TCP_MIGRATE_REQ_FILE, '1']],
    });
  });

  it('are told of where the kernel cannot', () => {
    expect(kernel(undefined)).toEqual({
      note: 'a new configuration refuses connections that are just opening: this kernel cannot pass them on, Linux 5.14 and later can',
      written: [],
    });
  });
});
