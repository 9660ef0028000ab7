import { NodeClientError, type NodeClientErrorCode, serverErrorCode } from '../errors/node-client-error.js';

/** Maximum length of a text in an error, in characters. */
const MAX_TEXT_LENGTH = 2_000;

const CODE_OF_STATUS: Readonly<Record<number, NodeClientErrorCode>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'UNAUTHENTICATED',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  409: 'STALE_REVISION',
  413: 'TOO_LARGE',
  422: 'UNAUTHENTICATED',
  500: 'INTERNAL',
  501: 'NOT_FOUND',
  // An intermediary answers so when it cannot reach the node.
  502: 'UNREACHABLE',
  503: 'UNREACHABLE',
  504: 'UNREACHABLE',
};

/** The error of a response whose status is not 200. Other nodes send plain text instead of JSON. */
export function answerError(httpStatus: number, text: string): NodeClientError {
  const { error, code } = parseBody(text);
  const message = (error ?? text.trim()).slice(0, MAX_TEXT_LENGTH) || `status ${httpStatus}`;
  const byStatus = CODE_OF_STATUS[httpStatus] ?? 'PROTOCOL';
  return new NodeClientError(serverErrorCode(code, message, byStatus), message, { httpStatus });
}

/** The error of a request without a complete response. */
export function requestError(error: unknown): NodeClientError {
  if (error instanceof NodeClientError) return error;
  const text = error instanceof Error ? error.message : String(error);
  return new NodeClientError('UNREACHABLE', `the connection broke: ${text}`, { cause: error });
}

function parseBody(text: string): { error?: string; code?: string } {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null) return {};
    return {
      ...('error' in body && typeof body.error === 'string' ? { error: body.error } : {}),
      ...('code' in body && typeof body.code === 'string' ? { code: body.code } : {}),
    };
  } catch {
    return {};
  }
}
