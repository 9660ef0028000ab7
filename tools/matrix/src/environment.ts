import { allCells } from './all-cells.js';
import type { Cell, UserName } from './cells/cell.js';
import { accountOf, type Client, type RunningClient } from './clients/client.js';
import { exchangeThrough, exchangeWithRetries, startExchange } from './exchange.js';
import { makeMaterial } from './material.js';
import { Product } from './product/product.js';
import { provision, type Subscriptions } from './product/provision.js';
import { selectCells } from './selected-cells.js';

/** A running management and node with the selected cells, and an exchange server that is reached through them. */
export interface MatrixEnvironment {
  readonly subscriptions: Subscriptions;
  /** Path of a PEM file with the certificate authorities that clients trust. */
  readonly trusted: string;
  close(): Promise<void>;
}

export async function startEnvironment(): Promise<MatrixEnvironment> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    // In reverse order, because later parts use earlier ones.
    for (const end of closers.reverse()) await end();
  };
  const opened = <T extends { close(): Promise<unknown> }>(thing: T): T => {
    closers.push(() => thing.close());
    return thing;
  };
  try {
    const { material, trusted } = opened(await makeMaterial());
    const exchange = opened(await startExchange());
    const product = opened(await Product.start());
    return { subscriptions: await provision(product, selectCells(allCells(material)), exchange.port), trusted, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Maximum number of starts of a client with a random fingerprint: about one fingerprint in five cannot connect. */
const MAX_STARTS = 8;

/** One client program, running with the subscriptions of all users. */
export class ClientSession {
  private constructor(
    private readonly client: Client,
    readonly documents: ReadonlyMap<UserName, string>,
    private readonly trusted: string,
    private readonly running = new Map<UserName, RunningClient>(),
  ) {}

  static async start(client: Client, { subscriptions, trusted }: MatrixEnvironment): Promise<ClientSession> {
    const documents = new Map<UserName, string>();
    const session = new ClientSession(client, documents, trusted);
    try {
      for (const [user, url] of subscriptions) {
        const document = await fetchDocument(url, client);
        documents.set(user, document);
        if (client.namesIn(document).length > 0) await session.run(user);
      }
    } catch (error) {
      await session.close();
      throw error;
    }
    return session;
  }

  /** Names of the entries in the documents of all users. */
  names(): string[] {
    return [...this.documents.values()].flatMap((document) => this.client.namesIn(document));
  }

  async carries({ user, shownAs }: Cell): Promise<void> {
    const position = this.client.namesIn(this.documents.get(user) ?? '').indexOf(shownAs);
    const running = this.running.get(user);
    if (position < 0 || running === undefined) throw new Error('the document does not have it');
    if (user === 'drawing') return this.carriesAfterRestarts(user, position);
    await exchangeWithRetries(running.port, accountOf(position));
  }

  /** Restarts a client until its random fingerprint connects: a client selects it once, when it starts. */
  private async carriesAfterRestarts(user: UserName, position: number): Promise<void> {
    for (let start = 1; ; start += 1) {
      const { port } = this.running.get(user) ?? (await this.run(user));
      try {
        return await exchangeThrough(port, accountOf(position));
      } catch (error) {
        if (start === MAX_STARTS) throw error;
        await this.running.get(user)?.close();
        this.running.delete(user);
      }
    }
  }

  private async run(user: UserName): Promise<RunningClient> {
    const client = await this.client.start(this.documents.get(user) ?? '', this.trusted);
    this.running.set(user, client);
    return client;
  }

  async close(): Promise<void> {
    await Promise.all([...this.running.values()].map((client) => client.close()));
  }
}

async function fetchDocument(url: string, { path, userAgent }: Client): Promise<string> {
  const answer = await fetch(url + path, { headers: { 'user-agent': userAgent } });
  if (!answer.ok) throw new Error(`${url}${path} answered ${answer.status}`);
  return answer.text();
}
