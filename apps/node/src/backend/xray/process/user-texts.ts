/** What stands before lines that a user may have written. */
const MARK = '[may be of a user]';
/** The longest name that a request can have, in bytes. */
const MAX_NAME_BYTES = 255;
/** Ends of lines of the engine within a name, which it writes as a user has sent it, with line breaks. */
const BROKEN_OFF = [/invalid domain name: (.*)$/, / accepted (?:tcp|udp):(\S*)$/];
/** The beginning of what the node itself adds to the log. */
const OWN = '[rampart]';

/** Marks lines of the engine's output that a user may have written, by a name with line breaks. */
export class UserTexts {
  /** How many of the next bytes may belong to a name. */
  private left = 0;

  marked(line: string): string {
    const isMarked = this.left > 0 || line.startsWith(OWN);
    // A byte that is not UTF-8 has become a longer character: units of UTF-16 are never more than the bytes were.
    const length = line.length + 1;
    const begun = BROKEN_OFF.map((end) => end.exec(line)?.[1]).find((name) => name !== undefined);
    this.left = Math.max(this.left - length, begun === undefined ? 0 : MAX_NAME_BYTES - begun.length - 1);
    return isMarked ? `${MARK} ${line}` : line;
  }
}
