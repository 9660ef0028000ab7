import { describe, expect, it } from '@jest/globals';
import { proxy, SHADOWSOCKS, SHADOWSOCKS_2022, tls, transport } from '../../testing/proxy.js';
import { renderText } from '../../testing/render-text.js';

describe('outline', () => {
  it('an Outline access key is the first server that Outline supports', () => {
    const proxies = [
      proxy(),
      proxy({ protocol: SHADOWSOCKS_2022 }),
      proxy({ protocol: SHADOWSOCKS, transport: transport('ws') }),
      proxy({ protocol: SHADOWSOCKS, security: tls() }),
      proxy({ protocol: SHADOWSOCKS, name: 'first', address: '2001:db8::1' }),
      proxy({ protocol: SHADOWSOCKS, name: 'second' }),
    ];
    expect(renderText('outline', proxies)).toEqual({
      body: '{"server":"2001:db8::1","server_port":443,"password":"pä?s>s","method":"aes-256-gcm","tag":"first"}',
      leftOut: 4,
    });
  });

  it('an Outline access key is empty without a supported server', () => {
    expect(renderText('outline', [proxy()])).toEqual({ body: '{}', leftOut: 1 });
  });
});
