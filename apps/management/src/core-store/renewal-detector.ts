/**
 * Detects that files were replaced from which something was built. Certificates and keys are written one after the other,
 * so two checks in a row must find the same contents.
 */
export class RenewalDetector {
  private lastSeen?: string;

  /**
   * @param used what was built from the files
   * @param now what would be built from them now; undefined where they cannot be read, which is no renewal
   */
  isRenewed(used: string, now: string | undefined): boolean {
    const isRenewed = now !== undefined && now !== used && now === this.lastSeen;
    this.lastSeen = now;
    return isRenewed;
  }
}
