/** What widely used clients call themselves. */
export const KNOWN_CLIENTS: readonly (readonly [name: string, userAgent: string])[] = [
  ['v2rayNG', 'v2rayNG/1.10.5'],
  ['v2rayN', 'v2rayN/7.1'],
  ['Happ', 'Happ/3.2.1'],
  ['Hiddify', 'HiddifyNext/2.5.7 (android) like ClashMeta v2ray sing-box'],
  ['Karing', 'Karing/1.0.35'],
  ['Streisand', 'Streisand/1.6'],
  ['Shadowrocket', 'Shadowrocket/2070 CFNetwork/1399'],
  ['V2Box', 'V2Box/2.0'],
  ['NekoBox', 'NekoBox/Android/1.3'],
  ['Clash Verge', 'clash-verge/v2.0.0'],
  ['FlClash', 'FlClash/v0.8'],
  ['mihomo', 'mihomo/1.19'],
  ['Stash', 'Stash/2.4'],
  ['ClashX', 'ClashX/1.95'],
  ['sing-box', 'SFA/1.12.0 (sing-box 1.12.0)'],
  ['Outline', 'Outline/1.0'],
];
