import { writeFileSync } from 'node:fs';
import { type ReadFile, readKernelFile } from './kernel-files.js';

/** Of the network that this process sees; 0 is what Linux begins with. */
export const PASSING_ON = '/proc/sys/net/ipv4/tcp_migrate_req';

/**
 * While one listener takes over from another, the kernel resets whoever the first one has not accepted yet, unless it is
 * told to pass them on (Linux 5.14). Tells it so where that is permitted and `mayWrite`. What to write in the log, if anything.
 */
export function passConnectionsOn(
  read: ReadFile = readKernelFile,
  write = writeKernelFile,
  mayWrite = true,
): string | undefined {
  const before = read(PASSING_ON);
  if (before === undefined) return `${REFUSED}: this kernel cannot pass them on, Linux 5.14 and later can`;
  if (before.trim() !== '0') return undefined;
  if (mayWrite) write(PASSING_ON, '1');
  if (read(PASSING_ON)?.trim() === '1')
    return 'connections that are just opening outlive a change: turned on net.ipv4.tcp_migrate_req';
  return `${REFUSED}: set net.ipv4.tcp_migrate_req=1 (sysctl -w on the host, or --sysctl for a container with a network of its own)`;
}

const REFUSED = 'a new configuration refuses connections that are just opening';

function writeKernelFile(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch {
    // Whoever reads it next finds it as it was.
  }
}
