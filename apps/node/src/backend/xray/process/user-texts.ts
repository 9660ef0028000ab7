/** What stands before lines that a user may have written. */
const MARK = '[may be of a user]';
/** Ends of lines of the engine within a text of a request, which it writes with its line breaks, and the most bytes of the text. */
const BROKEN_OFF = [
  { end: /invalid domain name: (.*)$/, maxBytes: 255 },
  { end: / accepted (?:tcp|udp):(\S*)$/, maxBytes: 255 },
  { end: /unknown request flow (.*)$/, maxBytes: 255 },
  // The engine reads so much of the head of a request.
  { end: /failed to validate path, request:((?:(?!, config:).)*)$/, maxBytes: 8_192 },
];
/** The beginning of what the node itself adds to the log. */
const OWN = '[rampart]';

/** Marks lines of the engine's output that a user may have written, by line breaks in a name, a flow or a path. */
export class UserTexts {
  /** How many of the next bytes may belong to a text of a request. */
  private left = 0;

  marked(line: string): string {
    const isMarked = this.left > 0 || line.startsWith(OWN);
    // A byte that is not UTF-8 has become a longer character: units of UTF-16 are never more than the bytes were.
    const length = line.length + 1;
    const begun = BROKEN_OFF.map(({ end, maxBytes }) => maxBytes - (end.exec(line)?.[1]?.length ?? maxBytes) - 1);
    this.left = Math.max(this.left - length, ...begun, 0);
    return isMarked ? `${MARK} ${line}` : line;
  }
}
