import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface SilentServer {
  readonly port: number;
  close(): void;
}

/** More connections than the kernel accepts for a program that does not. */
const FILLING = 8;

/**
 * A port of the loopback address that answers nothing, like one behind a firewall that drops packets: its program is stopped
 * and the kernel's queue of connections is full.
 */
export async function startSilentServer(): Promise<SilentServer> {
  const listen = `const s=require('net').createServer();s.listen(0,'127.0.0.1',1,()=>console.log(s.address().port))`;
  const child = spawn(process.execPath, ['-e', listen], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  const port = Number(String(line).trim());
  child.kill('SIGSTOP');
  const sockets: Socket[] = Array.from({ length: FILLING }, () => connect(port, '127.0.0.1'));
  for (const socket of sockets) socket.on('error', () => undefined);
  await Promise.race(sockets.map((socket) => once(socket, 'connect')));
  const close = () => {
    for (const socket of sockets) socket.destroy();
    child.kill('SIGKILL');
  };
  return { port, close };
}
