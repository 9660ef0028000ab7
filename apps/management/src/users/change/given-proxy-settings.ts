import type { ProxySettings } from '@rampart/domain';
import type { ProxySettingsInput } from '../view/proxy-settings.dto.js';

/** Returns the settings with the given credentials replaced; the others stay. */
export function withGiven(settings: ProxySettings, given: ProxySettingsInput): ProxySettings {
  return {
    vmess: { id: given.vmess?.id ?? settings.vmess.id },
    vless: { id: given.vless?.id ?? settings.vless.id, flow: given.vless?.flow ?? settings.vless.flow },
    trojan: { password: given.trojan?.password ?? settings.trojan.password },
    shadowsocks: {
      password: given.shadowsocks?.password ?? settings.shadowsocks.password,
      method: given.shadowsocks?.method ?? settings.shadowsocks.method,
    },
  };
}
