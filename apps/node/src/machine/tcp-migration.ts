import { writeFileSync } from 'node:fs';
import { type ReadKernelFile, readKernelFile } from './kernel-files.js';

/** File of net.ipv4.tcp_migrate_req in this process's network namespace; the default of Linux is 0. */
export const TCP_MIGRATE_REQ_FILE = '/proc/sys/net/ipv4/tcp_migrate_req';

/**
 * Lets the kernel migrate connections that a closing listener has not accepted to another listener (Linux 5.14);
 * otherwise it resets them during a handover. Writes the setting where that is permitted and `mayWrite`. Returns a
 * message for the log, if any.
 */
export function enableTcpMigration(
  read: ReadKernelFile = readKernelFile,
  write = writeKernelFile,
  mayWrite = true,
): string | undefined {
  const before = read(TCP_MIGRATE_REQ_FILE);
  if (before === undefined) return `${MIGRATION_DISABLED}: this kernel cannot migrate them, Linux 5.14 and later can`;
  if (before.trim() !== '0') return undefined;
  if (mayWrite) write(TCP_MIGRATE_REQ_FILE, '1');
  if (read(TCP_MIGRATE_REQ_FILE)?.trim() === '1')
    return 'connections that are just opening survive a change: enabled net.ipv4.tcp_migrate_req';
  return `${MIGRATION_DISABLED}: set net.ipv4.tcp_migrate_req=1 (sysctl -w on the host, or --sysctl for a container with a network of its own)`;
}

const MIGRATION_DISABLED = 'a new configuration refuses connections that are just opening';

function writeKernelFile(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch {
    // The caller reads the setting again and sees that it is unchanged.
  }
}
