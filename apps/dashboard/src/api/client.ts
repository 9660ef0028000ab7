import createClient, { type Middleware } from 'openapi-fetch';
import { ApiError } from './api-error';
import { takeEarly } from './early-answers';
import type { paths } from './gen/schema';
import { OWN_HEADER } from './own-header';
import { readAnswer } from './read-answer';
import { sessionState } from './session-state';
import { STEP_UP_REQUIRED, sendWithStepUp } from './step-up';

const LOGIN = '/api/admin/session';
/** The paths that were read, as the document of the API names them. */
const readFrom = new WeakMap<Response, string>();

/** Marks each request as one of this page, and turns answers that refuse it into errors. */
const middleware: Middleware = {
  onRequest({ request }) {
    for (const [name, value] of Object.entries(OWN_HEADER)) request.headers.set(name, value);
  },
  async onResponse({ request, response, schemaPath }) {
    if (response.ok && request.method === 'GET') readFrom.set(response, schemaPath);
    if (response.ok) return;
    const error = await ApiError.of(response);
    const isLogin = schemaPath === LOGIN && request.method === 'POST';
    if (error.status === 401 && error.code !== STEP_UP_REQUIRED && !isLogin) sessionState.set('ended');
    throw error;
  },
  onError: ({ error }) => ApiError.ofFetch(error),
};

/** The API of management, with the types of its document. */
export const api = createClient<paths>({
  baseUrl: globalThis.location?.origin,
  credentials: 'same-origin',
  fetch: (request) => takeEarly(request) ?? sendWithStepUp(request, fetch),
});
api.use(middleware);

/** The body of a successful answer, as the pages expect it; every other answer has become an `ApiError` before. */
export const dataOf = async <T>(answer: Promise<Answer<T>>): Promise<T> => (await versionedDataOf(answer)).data;

/** The same with the version that stands in the header of the answer. */
export async function versionedDataOf<T>(answer: Promise<Answer<T>>): Promise<{ data: T; version: string | null }> {
  try {
    const { data, response } = await answer;
    const path = readFrom.get(response);
    const read = path === undefined ? data : readAnswer(path, data);
    return { data: read as T, version: response.headers.get('etag') };
  } catch (error) {
    // The connection may end while the body is read.
    throw ApiError.ofFetch(error);
  }
}

interface Answer<T> {
  data?: T;
  response: Response;
}
