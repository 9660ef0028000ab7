/** Logins with an admin's right password and without a code, which none has followed from there. */
export interface PasswordWithoutCodeView {
  /** The network from which they came: a /24, or a /48 of IPv6; `other` for those beyond the twentieth of an hour. */
  network: string;
  /** How many there were within an hour. */
  tries: number;
  /**
   * The moment of the first.
   * @format date-time
   */
  since: string;
}
