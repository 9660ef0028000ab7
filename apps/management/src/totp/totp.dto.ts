import { OptionalBoolean, OptionalText, RequiredText } from '../validation/rules.js';

/** The own password, which a change of the second factor needs, so that a stolen token is not enough. */
export class TotpPassword {
  /** The present password; a wrong one counts as a failed login. */
  @RequiredText(1024)
  password: string;
}

/** What turns the second factor off: the own password and a code, so that neither of them is enough alone. */
export class TotpRemoval extends TotpPassword {
  /** A code that the app shows now, or a recovery code. Only an enrolment that was not confirmed needs none. */
  @OptionalText(64)
  code?: string | null;

  /** Whether all API tokens of the admin end too. Null or absent: they stay. */
  @OptionalBoolean()
  revoke_tokens?: boolean | null;
}

/** What turns a new second factor on. */
export class TotpConfirmation {
  /** A code that the app shows now. */
  @RequiredText(64)
  code: string;

  /** Whether all API tokens of the admin end too. Null or absent: they stay. */
  @OptionalBoolean()
  revoke_tokens?: boolean | null;
}

/** The second factor of an admin. */
export interface TotpView {
  /** Whether logins by password ask for a code. */
  is_enabled: boolean;
  /** Whether a secret was given out, and no code of it was shown yet. */
  is_pending: boolean;
  /** How many recovery codes are left. */
  recovery_codes_left: number;
}

/** A new second factor. It has no effect until it is confirmed, and its secret is never shown again. */
export interface TotpEnrolment {
  /** The secret in base32, to be typed into an app. */
  secret: string;
  /** The same as an address `otpauth://…`, for a QR code. */
  url: string;
}

/** Recovery codes, which are never shown again. */
export interface RecoveryCodesView {
  /** Each of them stands once for a code of the app. */
  recovery_codes: string[];
}
