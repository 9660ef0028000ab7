/** Clients whose name stands for their User-Agent, under the names that the API has for them; `browser` sees the page. */
export const PREVIEW_CLIENTS = [
  { value: 'v2rayng', label: 'v2rayNG' },
  { value: 'v2rayn', label: 'v2rayN' },
  { value: 'happ', label: 'Happ' },
  { value: 'hiddify', label: 'Hiddify' },
  { value: 'karing', label: 'Karing' },
  { value: 'streisand', label: 'Streisand' },
  { value: 'shadowrocket', label: 'Shadowrocket' },
  { value: 'v2box', label: 'V2Box' },
  { value: 'nekobox', label: 'NekoBox' },
  { value: 'clash-verge', label: 'Clash Verge' },
  { value: 'flclash', label: 'FlClash' },
  { value: 'mihomo', label: 'mihomo' },
  { value: 'stash', label: 'Stash' },
  { value: 'clash', label: 'Clash' },
  { value: 'sing-box', label: 'sing-box' },
  { value: 'outline', label: 'Outline' },
];
