import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { OperatorError, UnreachableError, withShortPath } from '@rampart/program';
import { readControlKey } from '../access/control-key.js';
import { errorCode } from '../errors/error-code.js';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** An answer of the API that is an error, with its code and what it says. */
export class RefusedError extends OperatorError {
  override readonly name = 'RefusedError';

  constructor(
    message: string,
    /** The stable code of the error, such as `ADMIN_EXISTS`. */
    readonly code: string,
    readonly status: number,
  ) {
    super(message);
  }
}

/** Calls the API of the running service through its control socket, as the actor `local`. */
export class ManagementClient {
  /** @param socket the path of the control socket */
  constructor(private readonly socket: string) {}

  /** Sends a request and returns the answer, parsed. @throws RefusedError, UnreachableError */
  async call<T>(method: Method, path: string, body?: object): Promise<T> {
    const answer = await this.send(method, path, body);
    if (answer.statusCode === 204) {
      answer.resume();
      return undefined as T;
    }
    return (await json(answer)) as T;
  }

  /** Sends a GET whose answer is a stream. @throws RefusedError, UnreachableError */
  stream(path: string): Promise<IncomingMessage> {
    return this.send('GET', path);
  }

  private async send(method: Method, path: string, body?: object): Promise<IncomingMessage> {
    const answer = await this.ask(method, path, body).catch((error: unknown) => {
      throw this.unreachable(error);
    });
    const { statusCode = 0 } = answer;
    if (statusCode < 400) return answer;
    throw refused(statusCode, await json(answer).catch(() => undefined));
  }

  private async ask(method: Method, path: string, body: object | undefined): Promise<IncomingMessage> {
    const headers = await readControlKey(this.socket);
    return withShortPath(this.socket, (socketPath) => answerOf({ method, path, socketPath, headers }, body));
  }

  private unreachable(error: unknown): UnreachableError {
    const reason =
      errorCode(error) === 'EACCES'
        ? 'this account may not open it or read its key. Run the command as the account of the service, or as root'
        : 'no management answers there. Is it running, and is RAMPART_DATA_DIR the same as for the service?';
    return new UnreachableError(`${this.socket}: ${reason} (${errorCode(error) ?? String(error)})`, { cause: error });
  }
}

function answerOf(
  target: { method: Method; path: string; socketPath: string; headers: Record<string, string> },
  body: object | undefined,
): Promise<IncomingMessage> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const headers = { ...target.headers, ...(payload !== undefined && { 'content-type': 'application/json' }) };
  return new Promise((resolve, reject) => {
    request({ ...target, headers, agent: false }, resolve)
      .once('error', reject)
      .end(payload);
  });
}

/** The error of an answer. `detail` is a sentence, or a map of fields to what is wrong with them. */
function refused(status: number, body: unknown): RefusedError {
  const { detail, code } = Object(body) as { detail?: unknown; code?: unknown };
  const text =
    typeof detail === 'object' && detail !== null
      ? Object.entries(detail)
          .map(([field, problem]) => `${field}: ${String(problem)}`)
          .join('\n')
      : String(detail ?? `The service answered ${status}`);
  return new RefusedError(text, String(code ?? 'UNKNOWN'), status);
}
