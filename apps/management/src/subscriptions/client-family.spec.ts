import { expect, it } from '@jest/globals';
import { clientFamily } from './client-family.js';

it.each([
  ['v2rayNG/1.10.5', 'v2rayng'],
  ['v2rayN/7.1', 'v2rayn'],
  ['Happ/3.2.1', 'happ'],
  ['HiddifyNext/2.5.7 (android) like ClashMeta v2ray sing-box', 'hiddify'],
  ['Karing/1.0', 'karing'],
  ['Streisand/1.5', 'streisand'],
  ['Shadowrocket/2070 CFNetwork/1399', 'shadowrocket'],
  ['V2Box 2.0', 'v2box'],
  ['NekoBox/Android/1.3', 'nekobox'],
  ['NekoRay/4.0', 'nekobox'],
  ['InHive/1.0 (Android; like sing-box)', 'inhive'],
  ['clash-verge/v2.0.0', 'clash-verge'],
  ['FlClash X/v0.8', 'flclash'],
  ['ClashMetaForAndroid/2.11', 'mihomo'],
  ['mihomo/1.19', 'mihomo'],
  ['Stash/2.4', 'stash'],
  ['ClashX/1.95', 'clash'],
  ['SFA/1.12 (sing-box 1.12.0)', 'sing-box'],
  ['MyApp (sing-box 1.12)', 'sing-box'],
  ['Outline/1.0', 'outline'],
  ['Mozilla/5.0 (X11; Linux x86_64)', 'browser'],
  ['', 'none'],
  ['curl/8.5.0', 'other'],
  ['a'.repeat(256), 'other'],
])('the client %j belongs to the family %s', (userAgent, family) => {
  expect(clientFamily(userAgent)).toBe(family);
});
