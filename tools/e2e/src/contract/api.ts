export interface Answer<T = unknown> {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, or the text where it is none. */
  readonly body: T;
}

/** The management API as one caller sees it: with a token, or as anybody. */
export class Api {
  constructor(
    readonly url: string,
    private readonly token?: string,
  ) {}

  /** Gives every answer; a body goes out as JSON, a form and a text as they are. */
  async send<T = unknown>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
    const raw = typeof body === 'string' || body instanceof URLSearchParams;
    const answer = await fetch(this.url + path, {
      method,
      headers: {
        ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
        ...(body !== undefined && !(body instanceof URLSearchParams) && { 'content-type': 'application/json' }),
      },
      body: raw ? (body as string | URLSearchParams) : body === undefined ? null : JSON.stringify(body),
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

  /** A POST that does something instead of creating a resource. */
  run<T>(path: string, body: unknown): Promise<T> {
    return this.expect<T>(200, 'POST', path, body);
  }

  async remove(path: string): Promise<void> {
    const nothing = await this.expect<string>(204, 'DELETE', path);
    if (nothing !== '') throw new Error(`DELETE ${path} answered 204 with ${nothing}`);
  }

  /** An API of the admin that logs in. */
  async login(username: string, password: string): Promise<Api> {
    const form = new URLSearchParams({ username, password });
    const { access_token } = await this.expect<{ access_token: string }>(200, 'POST', '/api/admin/token', form);
    return new Api(this.url, access_token);
  }

  /** The same caller, at another service. */
  at(url: string): Api {
    return new Api(url, this.token);
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
