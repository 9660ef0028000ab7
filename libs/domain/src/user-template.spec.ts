import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newProxySettings } from './proxy-settings.js';
import {
  mergeExtraSettings,
  TEMPLATE_FLOWS,
  templateProblem,
  termsFromTemplate,
  withExtraSettings,
} from './user-template.js';

const NOW = new Date('2026-01-31T12:00:00.500Z');
const DAY = 86_400;
const NO_DURATION = 'User cannot be on hold without a valid on_hold_expire_duration';

describe(templateProblem, () => {
  it.each([
    ['active', 0, null, undefined],
    ['active', DAY, null, undefined],
    ['on_hold', DAY, 60, undefined],
    ['on_hold', 0, 60, NO_DURATION],
    ['on_hold', DAY, null, NO_DURATION],
    ['on_hold', DAY, 0, NO_DURATION],
    ['on_hold', 0, null, NO_DURATION],
  ] as const)(
    'templateProblem checks the status %s with %d seconds and a timeout of %j',
    (status, expireDuration, onHoldTimeout, problem) => {
      expect(templateProblem({ status, expireDuration, onHoldTimeout })).toBe(problem);
    },
  );
});

describe(termsFromTemplate, () => {
  const none = { expire: null, onHoldExpireDuration: null, onHoldTimeout: null };

  it('an active user of a template expires after the duration', () => {
    expect(termsFromTemplate({ status: 'active', expireDuration: DAY, onHoldTimeout: 60 }, NOW)).toEqual({
      ...none,
      status: 'active',
      expire: new Date('2026-02-01T12:00:00.500Z'),
    });
  });

  it('an active user of a template without a duration never expires', () => {
    expect(termsFromTemplate({ status: 'active', expireDuration: 0, onHoldTimeout: null }, NOW)).toEqual({
      ...none,
      status: 'active',
    });
  });

  it('a user on hold gets the duration of the template, and a timeout from now on', () => {
    expect(termsFromTemplate({ status: 'on_hold', expireDuration: 30 * DAY, onHoldTimeout: DAY }, NOW)).toEqual({
      status: 'on_hold',
      expire: null,
      onHoldExpireDuration: 30 * DAY,
      onHoldTimeout: new Date('2026-02-01T12:00:00.500Z'),
    });
    expect(
      termsFromTemplate({ status: 'on_hold', expireDuration: DAY, onHoldTimeout: null }, NOW).onHoldTimeout,
    ).toBeNull();
  });

  it('a user of a template never has both an end and a hold', () => {
    const terms = fc.record({
      status: fc.constantFrom('active' as const, 'on_hold' as const),
      expireDuration: fc.nat(3_155_760_000),
      onHoldTimeout: fc.option(fc.nat(3_155_760_000)),
    });
    fc.assert(
      fc.property(
        terms,
        fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
        (template, now) => {
          const { expire, onHoldExpireDuration, onHoldTimeout } = termsFromTemplate(template, now);
          if (template.status === 'on_hold') expect(expire).toBeNull();
          else expect([onHoldExpireDuration, onHoldTimeout]).toEqual([null, null]);
          for (const moment of [expire, onHoldTimeout])
            expect(Number(moment ?? now)).toBeGreaterThanOrEqual(Number(now));
        },
      ),
    );
  });
});

describe(mergeExtraSettings, () => {
  it('extra settings that were never sent get defaults', () => {
    expect(mergeExtraSettings({}, null)).toEqual({ flow: 'none', method: 'chacha20-ietf-poly1305' });
  });

  it('a null method in extra settings is kept until a method is sent', () => {
    const none = mergeExtraSettings({ method: null }, { flow: 'none', method: 'aes-128-gcm' });
    expect(none).toEqual({ flow: 'none', method: null });
    expect(mergeExtraSettings({ flow: '' }, none)).toEqual({ flow: '', method: null });
    expect(mergeExtraSettings({ method: 'aes-128-gcm' }, none)).toEqual({ flow: 'none', method: 'aes-128-gcm' });
  });

  it('extra settings that are not sent stay, and so does an empty flow', () => {
    expect(mergeExtraSettings({ flow: null, method: 'aes-128-gcm' }, { flow: '', method: 'aes-256-gcm' })).toEqual({
      flow: '',
      method: 'aes-128-gcm',
    });
  });
});

describe(withExtraSettings, () => {
  const settings = newProxySettings((bytes) => Buffer.alloc(bytes, 1));

  it('extra settings change flow and method of credentials, and nothing else', () => {
    expect(withExtraSettings(settings, { flow: 'xtls-rprx-vision', method: 'aes-256-gcm' })).toEqual({
      ...settings,
      vless: { id: settings.vless.id, flow: 'xtls-rprx-vision' },
      shadowsocks: { password: settings.shadowsocks.password, method: 'aes-256-gcm' },
    });
  });

  it('without a method in the extra settings, the method of the user stays', () => {
    const own = withExtraSettings(settings, { flow: 'none', method: 'aes-128-gcm' });
    expect(withExtraSettings(own, { flow: 'none', method: null })).toEqual(own);
  });

  it('the flow none and the empty text both give credentials without a flow', () => {
    const vision = withExtraSettings(settings, { flow: 'xtls-rprx-vision', method: 'aes-256-gcm' });
    const flows = TEMPLATE_FLOWS.map((flow) => withExtraSettings(vision, { flow, method: 'aes-256-gcm' }).vless.flow);
    expect(flows).toEqual(['', '', 'xtls-rprx-vision']);
  });

  it('without extra settings, credentials stay the same', () => {
    expect(withExtraSettings(settings, null)).toEqual(settings);
  });
});
