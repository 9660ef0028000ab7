import { OperatorError } from '@rampart/program';

/** A client with the calls of the management API that the quick start needs. */
export class ManagementApi {
  private token: string | undefined;

  /** @param signal aborts all running calls. */
  constructor(
    private readonly baseUrl: string,
    private readonly signal: AbortSignal,
  ) {}

  async isUp(): Promise<boolean> {
    const answer = await fetch(`${this.baseUrl}/health`, { signal: this.signal }).catch(() => undefined);
    return answer?.ok === true;
  }

  async login(username: string, password: string): Promise<void> {
    const body = new URLSearchParams({ username, password });
    const { access_token } = await this.request<{ access_token: string }>('POST', '/api/admin/token', body);
    this.token = access_token;
  }

  get<T>(path: string): Promise<T> {
    return this.request('GET', path);
  }

  post<T>(path: string, body: object): Promise<T> {
    return this.request('POST', path, JSON.stringify(body));
  }

  private async request<T>(method: string, path: string, body?: string | URLSearchParams): Promise<T> {
    const sent = fetch(this.baseUrl + path, {
      method,
      body: body ?? null,
      signal: this.signal,
      headers: {
        ...(typeof body === 'string' && { 'content-type': 'application/json' }),
        ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
      },
    });
    const answer = await sent.catch((cause: unknown) => {
      throw new OperatorError(`${method} ${path}: management does not answer.`, { cause });
    });
    if (!answer.ok) throw new OperatorError(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  }
}
