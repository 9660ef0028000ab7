import { randomBytes } from 'node:crypto';
import { chmod, mkdir, rename, stat, unlink } from 'node:fs/promises';
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { messageOf, withShortPath } from '@rampart/program';
import { ControlKey } from '../access/control-key.js';
import { markLocal } from '../access/local-connection.js';

const CHECK_MS = 5_000;
/** Only the account of this process, and root, may open the socket. */
const OTHERS = 0o177;

interface ControlSocketOptions {
  /** The path of the socket, see `controlSocketIn`. */
  readonly path: string;
  readonly handler: RequestListener;
  /** Time limits of the server. */
  readonly limits: ServerOptions;
  readonly warn: (line: string) => void;
  /** Milliseconds between two looks whether the path is still this socket. */
  readonly checkMs?: number;
}

/**
 * The API on a Unix socket in the data folder. Whoever may open it and read the key beside it acts as a sudo admin, so file
 * permissions are the login. Replicas that share a data folder share its path: one of them has it, and another takes it over
 * when that one is gone.
 */
export class ControlSocket {
  private readonly server: Server;
  private readonly key = new ControlKey();
  /** What tells its file from that of another process at the same path. */
  private own: string | undefined;
  private claiming: Promise<void> = Promise.resolve();
  private timer?: NodeJS.Timeout;
  private warned = false;
  private closed = false;

  private constructor(private readonly options: ControlSocketOptions) {
    this.server = createServer(options.limits, options.handler);
    this.server.on('connection', (socket) => markLocal(socket, this.key));
  }

  /** Opens the socket. A folder that cannot hold it is a warning: the service works without it. */
  static async open(options: ControlSocketOptions): Promise<ControlSocket> {
    const socket = new ControlSocket(options);
    await socket.claimNow();
    return socket;
  }

  /** Takes no new connections and closes idle ones. Resolves while others may still be open: see `closeConnections`. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.claiming;
    // The key first: once the socket is gone, another process writes its own.
    await this.key.removeBeside(this.options.path).catch(() => undefined);
    if (await this.isOurs()) await unlink(this.options.path).catch(() => undefined);
    this.server.close();
    this.server.closeIdleConnections();
  }

  closeConnections(): void {
    this.server.closeAllConnections();
  }

  /** Looks at once, and again later: another process may end, and files in folders get lost. */
  private async claimNow(): Promise<void> {
    this.claiming = this.claim();
    await this.claiming;
    if (this.closed) return;
    this.timer = setTimeout(() => void this.claimNow(), this.options.checkMs ?? CHECK_MS).unref();
  }

  /** Takes the path unless a living process has it. */
  private async claim(): Promise<void> {
    const { path, warn } = this.options;
    try {
      // The key is written again too: a process that began at the same moment may have put its own there.
      if (await this.isOurs()) await this.key.writeBeside(path);
      else if (!(await isAnswered(path))) await this.bind();
      this.warned = false;
    } catch (error) {
      const reason = `cannot be opened, so the command "rampart" cannot reach this service: ${messageOf(error)}`;
      if (!this.warned) warn(`${path} ${reason}`);
      this.warned = true;
    }
  }

  /** Binds under a name that is new, then renames: the path never names a socket that does not answer. */
  private async bind(): Promise<void> {
    const { path } = this.options;
    await closeFolder(dirname(path));
    await this.key.writeBeside(path);
    const draft = `${path}.${randomBytes(4).toString('hex')}`;
    if (this.server.listening) this.server.close();
    await withShortPath(draft, (short) => listen(this.server, short));
    this.own = await identityOf(draft);
    await rename(draft, path);
  }

  private async isOurs(): Promise<boolean> {
    return this.own !== undefined && (await identityOf(this.options.path).catch(() => undefined)) === this.own;
  }
}

/** File systems use the number of a deleted file again. */
async function identityOf(path: string): Promise<string> {
  const { ino, mtimeNs } = await stat(path, { bigint: true });
  return `${ino} ${mtimeNs}`;
}

/** Keeps others from replacing the socket. The server of an embedded database passes through a folder of root. */
async function closeFolder(folder: string): Promise<void> {
  const allowed = process.getuid?.() === 0 ? 0o711 : 0o700;
  await mkdir(folder, { recursive: true, mode: allowed });
  const { mode } = await stat(folder);
  if ((mode & 0o777 & ~allowed) !== 0) await chmod(folder, mode & allowed);
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // `listen` binds before it returns, so no other file gets this mask.
    const mask = process.umask(OTHERS);
    try {
      server.listen(path, () => {
        server.off('error', reject);
        resolve();
      });
    } finally {
      process.umask(mask);
    }
  });
}

function isAnswered(path: string): Promise<boolean> {
  return withShortPath(
    path,
    (short) =>
      new Promise((resolve, reject) => {
        const probe = connect(short);
        probe.once('connect', () => {
          probe.destroy();
          resolve(true);
        });
        probe.once('error', (error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolve(false);
          else reject(error);
        });
      }),
  );
}
