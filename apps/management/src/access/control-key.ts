import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';

const HEADER = 'rampart-control-key';
const KEY_BYTES = 32;

const fileOf = (socket: string): string => `${socket}.key`;
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * What a request on the control socket has to bring: it lies in a file beside the socket, as the line of a header. A program
 * that hands bytes of others to the socket, as an engine does with a fallback, has read no file.
 */
export class ControlKey {
  private readonly key = randomBytes(KEY_BYTES).toString('base64url');
  private readonly line = `${HEADER}: ${this.key}\n`;
  private readonly digest = digest(this.key);

  isIn(headers: IncomingHttpHeaders): boolean {
    const shown = headers[HEADER];
    return typeof shown === 'string' && timingSafeEqual(digest(shown), this.digest);
  }

  /** Writes the file unless it has this key already. Only the account of this process, and root, can read it. */
  async writeBeside(socket: string): Promise<void> {
    if (await this.isBeside(socket)) return;
    const draft = `${fileOf(socket)}.${randomBytes(4).toString('hex')}`;
    try {
      await writeFile(draft, this.line, { flag: 'wx', mode: 0o600 });
      await rename(draft, fileOf(socket));
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  async removeBeside(socket: string): Promise<void> {
    if (await this.isBeside(socket)) await rm(fileOf(socket), { force: true });
  }

  private async isBeside(socket: string): Promise<boolean> {
    return (await readFile(fileOf(socket), 'utf8').catch(() => undefined)) === this.line;
  }
}

/** The header for requests on this socket. */
export async function readControlKey(socket: string): Promise<Record<string, string>> {
  const [name = '', key = ''] = (await readFile(fileOf(socket), 'utf8')).trim().split(': ');
  return { [name]: key };
}
