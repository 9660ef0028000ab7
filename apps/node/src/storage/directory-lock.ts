import { join } from 'node:path';
import { FolderLock, OperatorError } from '@rampart/program';

/** What a process writes that wants the directory, and what the owner answers when it gives it up. */
const REQUEST = 'take over\n';
const CONSENT = 'yes\n';

/** Another living process uses the directory. */
export class DirectoryInUse extends OperatorError {
  override readonly name = 'DirectoryInUse';

  constructor(directory: string) {
    super(`another node uses ${directory}: give each node a directory of its own (RAMPART_NODE_DATA_DIR)`);
  }
}

/** Locks a directory for this process, by its folder `locks`. Another process may ask the owner to release it. */
export class DirectoryLock {
  private constructor(private readonly lock: FolderLock) {}

  /**
   * @param onRequest called when another process asks for the directory; returns whether the owner will release it
   * @throws DirectoryInUse
   */
  static async acquire(directory: string, onRequest: () => boolean = () => false): Promise<DirectoryLock> {
    const answer = (question: string) => (question === REQUEST && onRequest() ? CONSENT : '');
    const lock = await FolderLock.acquire(locksOf(directory), answer);
    if (!lock) throw new DirectoryInUse(directory);
    return new DirectoryLock(lock);
  }

  /** Asks the process that has locked a directory to release it. Resolves with whether it will. */
  static async request(directory: string): Promise<boolean> {
    return (await FolderLock.ask(locksOf(directory), REQUEST)) === CONSENT;
  }

  /** Never fails: nothing on the disk has to change for the next node. */
  release(): Promise<void> {
    return this.lock.release();
  }
}

const locksOf = (directory: string): string => join(directory, 'locks');
