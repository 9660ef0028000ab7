export interface Answer<T = unknown> {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON, or the text of a body that is not JSON. */
  readonly body: T;
}

/** A client of the management API, with an admin's token or without one. */
export class Api {
  constructor(
    readonly url: string,
    private token?: string,
    private readonly credentials?: { username: string; password: string },
  ) {}

  /**
   * Sends a request and returns any answer, errors included. Forms and texts are sent as they are, other bodies as JSON.
   * Rejects when there is no answer within `withinMs`, by default never.
   */
  async send<T = unknown>(method: string, path: string, body?: unknown, withinMs?: number): Promise<Answer<T>> {
    const answer = await this.sendOnce<T>(method, path, body, withinMs);
    if (answer.status !== 401 || Object(answer.body).code !== 'STEP_UP_REQUIRED' || !this.credentials) return answer;
    // Long tests change admins with a login that is older than that allows.
    const { username, password } = this.credentials;
    this.token = (await this.login(username, password)).token ?? '';
    return this.sendOnce<T>(method, path, body, withinMs);
  }

  private async sendOnce<T>(method: string, path: string, body?: unknown, withinMs?: number): Promise<Answer<T>> {
    const raw = typeof body === 'string' || body instanceof URLSearchParams;
    const answer = await fetch(this.url + path, {
      method,
      headers: {
        ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
        ...(body !== undefined && !(body instanceof URLSearchParams) && { 'content-type': 'application/json' }),
      },
      body: raw ? (body as string | URLSearchParams) : body === undefined ? null : JSON.stringify(body),
      ...(withinMs !== undefined && { signal: AbortSignal.timeout(withinMs) }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: parsed(text) as T };
  }

  get<T>(path: string): Promise<T> {
    return this.expect<T>(200, 'GET', path);
  }

  create<T>(path: string, body: unknown): Promise<T> {
    return this.expect<T>(201, 'POST', path, body);
  }

  modify<T>(path: string, body: unknown): Promise<T> {
    return this.expect<T>(200, 'PUT', path, body);
  }

  /** Sends a POST that performs an action (200) instead of creating a resource (201). */
  run<T>(path: string, body: unknown): Promise<T> {
    return this.expect<T>(200, 'POST', path, body);
  }

  async remove(path: string): Promise<void> {
    const nothing = await this.expect<string>(204, 'DELETE', path);
    if (nothing !== '') throw new Error(`DELETE ${path} answered 204 with ${nothing}`);
  }

  /** Logs in and returns a client with that admin's token. */
  async login(username: string, password: string): Promise<Api> {
    const form = new URLSearchParams({ username, password });
    const { access_token } = await this.expect<{ access_token: string }>(200, 'POST', '/api/admin/token', form);
    return new Api(this.url, access_token, { username, password });
  }

  /** A client with the same token at another address. */
  at(url: string): Api {
    return new Api(url, this.token, this.credentials);
  }

  private async expect<T>(status: number, method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.send<T>(method, path, body);
    if (answer.status === status) return answer.body;
    throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
