/** A client of the management API with the token of one admin. */
export class Api {
  constructor(url, token) {
    this.url = url;
    this.token = token;
  }

  /** Logs in and returns a client with that admin's token; throws if the login is refused. */
  async login(username, password) {
    const body = new URLSearchParams({ username, password });
    const { access_token } = await this.call('POST', '/api/admin/token', body);
    return new Api(this.url, access_token);
  }

  get(path) {
    return this.call('GET', path);
  }

  post(path, body) {
    return this.call('POST', path, JSON.stringify(body));
  }

  put(path, body) {
    return this.call('PUT', path, JSON.stringify(body));
  }

  async call(method, path, body) {
    const headers = {
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
      ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
    };
    const answer = await fetch(this.url + path, { method, body, headers }).catch((cause) => {
      throw new Error(`${method} ${this.url}${path}: management does not answer. Is it running (npm start)?`, {
        cause,
      });
    });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  }
}
