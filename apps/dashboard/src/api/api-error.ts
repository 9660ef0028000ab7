/** The words of browsers and of Vite for a lazy part that could not be loaded. */
const MISSING_PART = /dynamically imported module|importing a module script|unable to preload/i;

/** What the API says when it refuses a request, or the failure of the request itself (`status` 0, code `OFFLINE`). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** The sentences about single fields of the request; empty when the error is about no field. */
    readonly fields: Readonly<Record<string, string>> = {},
    /** Seconds to wait before another attempt, where the answer says so. */
    readonly retryAfter?: number,
    /** The object as it is now, where somebody else has changed it meanwhile. */
    readonly current?: Readonly<Record<string, unknown>>,
  ) {
    super(message);
  }

  /** Reads the error of an answer. Whatever its body is, there is an error with a message. */
  static async of(response: Response): Promise<ApiError> {
    const { status, statusText } = response;
    const body: unknown = await response
      .clone()
      .json()
      .catch(() => undefined);
    const { detail, code, current } = Object(body) as Record<'detail' | 'code' | 'current', unknown>;
    const wait = Number(response.headers.get('retry-after')) || undefined;
    const name = typeof code === 'string' ? code : `HTTP_${status}`;
    const now = typeof current === 'object' && current !== null ? { ...current } : undefined;
    if (typeof detail === 'string') return new ApiError(status, name, detail, {}, wait, now);
    const fields = Object.fromEntries(
      Object.entries(Object(detail) as Record<string, unknown>).map(([field, text]) => [field, String(text)]),
    );
    const message = Object.entries(fields).map(([field, text]) => `${field}: ${text}`);
    return new ApiError(status, name, message.join('\n') || statusText || `HTTP ${status}`, fields, wait);
  }

  /** What `fetch`, or the body of its answer, was rejected with. */
  static ofFetch(error: unknown): ApiError {
    return error instanceof TypeError ? new ApiError(0, 'OFFLINE', error.message) : ApiError.from(error);
  }

  /** Any thrown value as an error of this class. */
  static from(error: unknown): ApiError {
    if (error instanceof ApiError) return error;
    if (error instanceof Error && MISSING_PART.test(error.message))
      return new ApiError(0, 'MISSING_PART', error.message);
    return new ApiError(0, 'UNKNOWN', error instanceof Error ? error.message : String(error));
  }
}
