import { describe, expect, it } from '@jest/globals';
import { LineSplitter } from './line-splitter.js';
import { UserTexts } from './user-texts.js';

const marked = (...lines: string[]): string[] => {
  const texts = new UserTexts();
  return lines.map((line) => texts.marked(line));
};
const ACCESS =
  '2026/11/27 16:05:08.889000 from 198.51.100.77:50123 accepted tcp:a.test:443 [vless -> direct] email: 3.ann';
const REFUSED = '2026/11/27 16:05:08.1 from 127.0.0.1:1 rejected  proxy/trojan: failed > invalid domain name: ';

describe(UserTexts.name, () => {
  it('security row 109: marks what may be the rest of a name that a user has sent, and nothing behind it', () => {
    expect(marked(ACCESS, `${REFUSED}x`, ACCESS, 'y'.repeat(200), ACCESS)).toEqual([
      ACCESS,
      `${REFUSED}x`,
      `[may be of a user] ${ACCESS}`,
      `[may be of a user] ${'y'.repeat(200)}`,
      ACCESS,
    ]);
  });

  it('security row 109: marks what follows an accepted name that is broken off, and not what follows a whole one', () => {
    const broken = '2026/11/27 16:05:08.1 from 127.0.0.1:1 accepted udp:x';
    expect(marked(broken, ACCESS)).toEqual([broken, `[may be of a user] ${ACCESS}`]);
    expect(marked(ACCESS, ACCESS)).toEqual([ACCESS, ACCESS]);
  });

  it('security row 109: marks what follows a name of bytes that are no text', () => {
    const texts: string[] = [];
    const users = new UserTexts();
    const lines = new LineSplitter((line) => texts.push(users.marked(line)));
    lines.pushBytes(Buffer.concat([Buffer.from(REFUSED), Buffer.alloc(86, 0xff), Buffer.from(`\n${ACCESS}\n`)]));
    expect(texts[1]).toBe(`[may be of a user] ${ACCESS}`);
  });

  it.each([
    ['a flow', '2026/11/27 16:05:08.1 [Warning] proxy/vless/inbound: unknown request flow x'],
    ['a path', '2026/11/27 16:05:08.1 [Info] transport/internet/websocket: failed to validate path, request:/x'],
  ])('security row 109: marks what follows %s that is broken off', (_name, broken) => {
    expect(marked(broken, ACCESS)).toEqual([broken, `[may be of a user] ${ACCESS}`]);
    expect(marked(`${broken}, config:/y`, ACCESS).at(-1)).toBe(
      broken.includes('path') ? ACCESS : `[may be of a user] ${ACCESS}`,
    );
  });

  it('security row 109: marks lines that look as if the node had written them', () => {
    expect(marked('[rampart] [Warning] a lie')).toEqual(['[may be of a user] [rampart] [Warning] a lie']);
  });
});
