import { describe, expect, it } from '@jest/globals';
import { qrCode } from './qr-code.js';
import { summary } from './summary.js';

const running = {
  dashboardUrl: 'http://192.0.2.2:8000/dashboard/',
  apiUrl: 'http://192.0.2.2:8000/api',
  subscriptionUrl: 'https://vpn.example.org/sub/token',
  address: { address: '192.0.2.2', origin: "this machine's LAN address" },
  hostAddress: '192.0.2.2',
};
const lines = async (text: Promise<string>) => (await text).split('\n');

describe(summary.name, () => {
  it('shows the login once, the address, and the subscription with its QR code', async () => {
    const code = (await qrCode(running.subscriptionUrl, false)).split('\n');
    expect(await lines(summary({ ...running, login: { username: 'admin', password: 'secret' } }, false))).toEqual([
      '',
      'Rampart is running.',
      '',
      'Login         admin',
      'Password      secret   (shown once: write it down)',
      'Dashboard     http://192.0.2.2:8000/dashboard/',
      'API           http://192.0.2.2:8000/api',
      "Address       192.0.2.2 (this machine's LAN address)",
      'Subscription  https://vpn.example.org/sub/token',
      '',
      ...code,
      'Ctrl-C ends it; the data stays.',
      '',
    ]);
  });

  it('says which address the hosts name when this machine has another one now', async () => {
    expect((await lines(summary({ ...running, hostAddress: '198.51.100.7' }, false))).slice(3, 8)).toEqual([
      'Login         as at the first start',
      'Dashboard     http://192.0.2.2:8000/dashboard/',
      'API           http://192.0.2.2:8000/api',
      "Address       192.0.2.2 (this machine's LAN address)",
      '              The hosts send clients to 198.51.100.7, as set up at the first start.',
    ]);
  });
});
