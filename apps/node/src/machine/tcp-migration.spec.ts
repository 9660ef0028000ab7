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

describe('TCP migration between listeners', () => {
  it('TCP migration is left alone where it is enabled already', () => {
    expect(kernel('1\n')).toEqual({ note: undefined, written: [] });
  });

  it('TCP migration is enabled where the node may set it', () => {
    expect(kernel('0\n')).toEqual({
      note: 'connections that are just opening survive a change: enabled net.ipv4.tcp_migrate_req',
      written: [[TCP_MIGRATE_REQ_FILE, '1']],
    });
  });

  it('TCP migration is not changed when the operator has forbidden it', () => {
    expect(kernel('0\n', { mayWrite: false })).toEqual({
      note: 'a new configuration refuses connections that are just opening: set net.ipv4.tcp_migrate_req=1 (sysctl -w on the host, or --sysctl for a container with a network of its own)',
      written: [],
    });
  });

  it('TCP migration that may not be enabled is reported with advice', () => {
    expect(kernel('0\n', { writable: false })).toEqual({
      note:
        'a new configuration refuses connections that are just opening: set net.ipv4.tcp_migrate_req=1 ' +
        '(sysctl -w on the host, or --sysctl for a container with a network of its own)',
      written: [[TCP_MIGRATE_REQ_FILE, '1']],
    });
  });

  it('TCP migration that the kernel lacks is reported', () => {
    expect(kernel(undefined)).toEqual({
      note: 'a new configuration refuses connections that are just opening: this kernel cannot migrate them, Linux 5.14 and later can',
      written: [],
    });
  });
});
