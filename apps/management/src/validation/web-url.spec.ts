import { describe, expect, it } from '@jest/globals';
import { webUrl } from './web-url.js';

describe(webUrl.name, () => {
  it.each([
    ['https://a.example/', 'https://a.example'],
    ['https://a.example/panel//', 'https://a.example/panel'],
    ['HTTPS://Пример.example', 'https://xn--e1afmkfd.example'],
    ['https://*.example.com:8443/x', 'https://*.example.com:8443/x'],
    ['ftp://a/', 'ftp://a'],
    ['no url', 'no url'],
    ['/', ''],
  ])('normalizes %s to %s', (text, url) => {
    expect(webUrl(text)).toBe(url);
  });

  it('security row 10: a URL with many slashes takes no longer than one with other characters', () => {
    const text = `${'/'.repeat(1_000_000)}x`;
    expect(webUrl(text)).toBe(text);
  });
});
