/** Every error that management answers with: its stable code, HTTP status and default message. */
export const MANAGEMENT_ERRORS = {
  DATABASE_UNAVAILABLE: { status: 503, message: 'The database does not answer' },
  /** The database hangs, or an operation exceeded its time limit. */
  DATABASE_BUSY: { status: 503, message: 'The database does not answer in time, try again in a moment' },
  REQUEST_QUEUE_FULL: { status: 503, message: 'Too many requests are waiting, try again in a moment' },
  CHANGE_QUEUE_FULL: { status: 503, message: 'Too many changes are waiting, try again in a moment' },
  /** A bulk operation was interrupted after it had begun. */
  BULK_GOES_ON: {
    status: 503,
    message: 'The operation was interrupted and will be finished automatically: do not send it again',
  },
  INTERNAL: { status: 500, message: 'Internal error' },

  /** Somebody else has changed the object since the version that `If-Match` names. */
  VERSION_CONFLICT: { status: 412, message: 'The object was changed meanwhile: compare with `current`, and try again' },
  INVALID_FIELDS: { status: 422, message: 'Invalid request' },
  BODY_TOO_LARGE: { status: 413, message: 'The body is too large' },
  MEDIA_TYPE_UNSUPPORTED: { status: 415, message: 'The body must be JSON' },
  /** An unknown route. Invalid subscription tokens get the same answer on purpose. */
  NOT_FOUND: { status: 404, message: 'Not Found' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'Method Not Allowed' },
  NOT_HTTP: { status: 400, message: 'This is no HTTP request' },
  REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time' },
  HEADERS_TOO_LARGE: { status: 431, message: 'The headers are too large' },

  /** The settings do not offer this format on a path of its own. */
  FORMAT_DISABLED: { status: 406, message: 'Client not supported' },
  /** A rule of the settings blocks this client, or no rule matches it. */
  CLIENT_BLOCKED: { status: 406, message: 'Client not supported' },

  UNAUTHENTICATED: { status: 401, message: 'Could not validate credentials' },
  /** A change of who may act, by a login that has shown password and factor too long ago. */
  STEP_UP_REQUIRED: {
    status: 401,
    message: 'This needs a login of the last 10 minutes: log in again, or send password and code to /api/admin/step-up',
  },
  LOGIN_FAILED: { status: 401, message: 'Incorrect username or password' },
  /** The password is right, and the admin has a second factor. */
  TOTP_REQUIRED: { status: 401, message: 'Send the code of your authenticator app, or a recovery code, as totp' },
  TOTP_WRONG: { status: 401, message: 'This code is wrong or was used already' },
  /** The settings require a second factor of this admin. */
  TOTP_SET_UP_REQUIRED: { status: 403, message: 'Set up your second factor first: POST /api/admin/totp' },
  TOTP_NOT_FOUND: { status: 404, message: 'There is no second factor' },
  TOTP_EXISTS: { status: 409, message: 'There is a second factor already: disable it first' },
  TOTP_OWN: {
    status: 403,
    message: 'Disable your own second factor with POST /api/admin/totp/disable, your password and a code',
  },
  TOTP_CLOSED: {
    status: 503,
    message: 'The second factor does not open with the present at-rest key: use a recovery code, or have it reset',
  },
  ADMIN_DISABLED: { status: 403, message: 'your account has been disabled' },
  LOGIN_THROTTLED: { status: 429, message: 'Too many failed logins, try again later' },
  LOGIN_QUEUE_FULL: { status: 503, message: 'Too many logins are waiting, try again in a moment' },
  TOO_MANY_CHANGES: { status: 429, message: 'Too many of your changes are waiting, try again when they are done' },
  ADMIN_NOT_FOUND: { status: 404, message: 'Admin not found' },
  /** The control socket acts for no admin of the database. */
  ADMIN_NOT_NAMED: { status: 400, message: 'The control socket belongs to no admin: name one' },
  ADMIN_EXISTS: { status: 409, message: 'Admin already exists' },
  ADMIN_IS_LAST_SUDO: { status: 403, message: 'The last enabled sudo admin cannot be demoted, disabled or deleted' },
  API_TOKEN_NOT_FOUND: { status: 404, message: 'API token not found' },
  API_TOKEN_SCOPE: { status: 403, message: 'The scope of this API token does not include this' },
  API_TOKEN_IDENTITY: {
    status: 403,
    message:
      'Changing admins, their logins, second factors, API tokens or connections of nodes needs an API token with the grant `identity`',
  },
  API_TOKEN_GRANTS: { status: 403, message: 'Only a login with a password gives an API token grants' },
  API_TOKEN_OWN_ADMIN: {
    status: 403,
    message:
      'An API token changes neither the password nor the rights of its own admin by name, ends none of its logins, and does not delete it',
  },
  API_TOKEN_SECRETS: { status: 403, message: 'This API token needs the grant secrets for this' },
  API_TOKEN_NETWORK: { status: 403, message: 'This API token may not be used from this address' },
  API_TOKEN_LIMIT: { status: 409, message: 'An admin has at most 100 API tokens: delete one that is not used' },
  SESSION_NOT_FOUND: { status: 404, message: 'Session not found' },
  /** A session cookie has rights only for pages of this management. */
  CROSS_SITE: {
    status: 403,
    message:
      'A change with a session cookie needs the header x-rampart-dashboard and must come from a page of this site',
  },
  FORBIDDEN: { status: 403, message: "You're not allowed" },

  CORE_NOT_FOUND: { status: 404, message: 'Core config not found' },
  CORE_IS_DEFAULT: { status: 403, message: 'Cannot delete default core config' },
  CORE_REFUSED: { status: 400, message: 'The core configuration is not valid' },
  GROUP_NOT_FOUND: { status: 404, message: 'Group not found' },
  GROUP_EXISTS: { status: 409, message: 'Group by this name already exists' },
  INBOUND_TAG_UNKNOWN: { status: 400, message: 'Inbound tag not found in core configurations' },
  HOST_NOT_FOUND: { status: 404, message: 'Host not found' },
  HOST_SECURITY_REALITY: { status: 400, message: 'security reality needs an inbound with reality' },
  DOWNLOAD_HOST_NOT_FOUND: { status: 404, message: 'download host not found' },
  DOWNLOAD_HOST_SELF: { status: 400, message: 'download host cannot be the same as the host' },
  DOWNLOAD_HOST_NESTED: { status: 400, message: 'download host cannot have a download host' },
  /** The host would be left out of subscriptions, so there is nothing to probe. */
  HOST_NOT_USABLE: { status: 400, message: 'The host is left out of subscriptions' },
  TOO_MANY_PROBES: { status: 429, message: 'Too many hosts are being probed, try again in a moment' },
  NODE_NOT_FOUND: { status: 404, message: 'Node not found' },
  NODE_EXISTS: { status: 409, message: 'Node by this name already exists' },
  NODE_NOT_CONNECTED: { status: 409, message: 'Node is not connected' },
  /** The authority is used with an at-rest key that this replica does not have yet. */
  NODE_AUTHORITY_CLOSED: {
    status: 503,
    message: 'The key of the node authority does not open here: give this replica the present RAMPART_AT_REST_KEY',
  },
  NODE_UNAVAILABLE: { status: 503, message: 'The node does not answer' },
  TOO_MANY_LOG_READERS: { status: 503, message: 'Too many logs are being read: close one' },
  TOO_MANY_EVENT_READERS: { status: 503, message: 'Too many streams of events are open: close one' },
  USER_TEMPLATE_NOT_FOUND: { status: 404, message: 'User Template not found' },
  USER_TEMPLATE_EXISTS: { status: 409, message: 'Template by this name already exists' },
  USER_TEMPLATE_DISABLED: { status: 403, message: 'this template is disabled' },
  USER_NOT_FOUND: { status: 404, message: 'User not found' },
  NEXT_PLAN_NOT_FOUND: { status: 404, message: "User doesn't have next plan" },
  /** The answer says how many users the admin may have. */
  USER_LIMIT: { status: 403, message: 'The admin has as many users as it may have' },
  /** The answer says how many users the admin has created. */
  USERS_THROTTLED: { status: 429, message: 'The admin has created too many users within a day, try again later' },
  USER_EXISTS: { status: 409, message: 'User already exists' },
  /** Engines would take two users for one. The answer does not tell whose credential it is. */
  CREDENTIAL_EXISTS: { status: 409, message: 'Another user has this credential: choose another one' },
  CREDENTIALS_THROTTLED: {
    status: 429,
    message: 'Too many credentials of other users were chosen: leave credentials out, or try again later',
  },
} as const;

export type ManagementErrorCode = keyof typeof MANAGEMENT_ERRORS;

/** Maps the dotted path of a field to what is wrong with it. */
export type FieldProblems = Readonly<Record<string, string>>;

/** An error that is safe to show to the caller: it holds no secret, no SQL and no text of a library. */
export class ManagementError extends Error {
  override readonly name = 'ManagementError';

  constructor(
    readonly code: ManagementErrorCode,
    readonly detail: string | FieldProblems = MANAGEMENT_ERRORS[code].message,
    /** Additional headers of the answer. */
    readonly headers: Readonly<Record<string, string>> = {},
    /** The object as it is now, for a change that began from another version. */
    readonly current?: object,
  ) {
    super(typeof detail === 'string' ? detail : MANAGEMENT_ERRORS[code].message);
  }

  get status(): number {
    return MANAGEMENT_ERRORS[this.code].status;
  }
}

/** The error for fields that do not have the required form. */
export function invalidFields(problems: FieldProblems): ManagementError {
  return new ManagementError('INVALID_FIELDS', problems);
}
