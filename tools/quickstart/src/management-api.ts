import { OperatorError } from '@rampart/program';

/** The few calls of the management API that the quick start makes. */
export class ManagementApi {
  private token: string | undefined;

  constructor(private readonly baseUrl: string) {}

  async isUp(): Promise<boolean> {
    const answer = await fetch(`${this.baseUrl}/health`).catch(() => undefined);
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
    const answer = await fetch(this.baseUrl + path, {
      method,
      body: body ?? null,
      headers: {
        ...(typeof body === 'string' && { 'content-type': 'application/json' }),
        ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
      },
    });
    if (!answer.ok) throw new OperatorError(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  }
}
