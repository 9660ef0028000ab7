import type { ProxySettings } from '@rampart/domain';
import type { ProxySettingsInput } from '../view/proxy-settings.dto.js';

/** Replaces those credentials of a user that a request contains; the others stay. */
export function mergeProxySettings(settings: ProxySettings, input: ProxySettingsInput): ProxySettings {
  return {
    vmess: { id: input.vmess?.id ?? settings.vmess.id },
    vless: { id: input.vless?.id ?? settings.vless.id, flow: input.vless?.flow ?? settings.vless.flow },
    trojan: { password: input.trojan?.password ?? settings.trojan.password },
    shadowsocks: {
      password: input.shadowsocks?.password ?? settings.shadowsocks.password,
      method: input.shadowsocks?.method ?? settings.shadowsocks.method,
    },
  };
}
