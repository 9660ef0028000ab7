import type { Json } from '../cell.js';

/** A client of the management API with an admin's token. */
export class Api {
  private token = '';

  constructor(readonly url: string) {}

  async login(username: string, password: string): Promise<void> {
    const body = new URLSearchParams({ username, password });
    const { access_token } = await this.send('/api/admin/token', { method: 'POST', body });
    this.token = String(access_token);
  }

  get(path: string): Promise<Json> {
    return this.send(path, {});
  }

  post(path: string, body: Json): Promise<Json> {
    return this.send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  private async send(path: string, init: RequestInit): Promise<Json> {
    const headers = new Headers(init.headers);
    if (this.token !== '') headers.set('authorization', `Bearer ${this.token}`);
    const answer = await fetch(this.url + path, { ...init, headers });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${init.method ?? 'GET'} ${path} answered ${answer.status}: ${text}`);
    return JSON.parse(text);
  }
}
