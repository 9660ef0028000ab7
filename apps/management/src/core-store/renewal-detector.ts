/**
 * Whether files were renewed under something that was made of them. Certificates and keys are written one after the other,
 * so two looks in a row must find the same.
 */
export class RenewalDetector {
  private seen?: string;

  /**
   * @param used what was made of the files
   * @param now what would be made of them now; undefined where they cannot be read, which is no renewal
   */
  isRenewed(used: string, now: string | undefined): boolean {
    const settled = now !== undefined && now !== used && now === this.seen;
    this.seen = now;
    return settled;
  }
}
