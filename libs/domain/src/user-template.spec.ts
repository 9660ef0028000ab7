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
  ] as const)('%s with %d seconds and a timeout of %j', (status, expireDuration, onHoldTimeout, problem) => {
    expect(templateProblem({ status, expireDuration, onHoldTimeout })).toBe(problem);
  });
});

describe(termsFromTemplate, () => {
  const none = { expire: null, onHoldExpireDuration: null, onHoldTimeout: null };

  it('lets an active user expire after the duration', () => {
    expect(termsFromTemplate({ status: 'active', expireDuration: DAY, onHoldTimeout: 60 }, NOW)).toEqual({
      ...none,
      status: 'active',
      expire: new Date('2026-02-01T12:00:00.500Z'),
    });
  });

  it('lets an active user without a duration never expire', () => {
    expect(termsFromTemplate({ status: 'active', expireDuration: 0, onHoldTimeout: null }, NOW)).toEqual({
      ...none,
      status: 'active',
    });
  });

  it('keeps the duration of a user on hold, and counts the timeout from now', () => {
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

  it('never mixes the two', () => {
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
  it('fills in what was never sent', () => {
    expect(mergeExtraSettings({}, null)).toEqual({ flow: 'none', method: 'chacha20-ietf-poly1305' });
  });

  it('has no method where that was sent, until there is one', () => {
    const none = mergeExtraSettings({ method: null }, { flow: 'none', method: 'aes-128-gcm' });
    expect(none).toEqual({ flow: 'none', method: null });
    expect(mergeExtraSettings({ flow: '' }, none)).toEqual({ flow: '', method: null });
    expect(mergeExtraSettings({ method: 'aes-128-gcm' }, none)).toEqual({ flow: 'none', method: 'aes-128-gcm' });
  });

  it('keeps what is not sent now, and an empty flow as it was sent', () => {
    expect(mergeExtraSettings({ flow: null, method: 'aes-128-gcm' }, { flow: '', method: 'aes-256-gcm' })).toEqual({
      flow: '',
      method: 'aes-128-gcm',
    });
  });
});

describe(withExtraSettings, () => {
  const settings = newProxySettings((bytes) => Buffer.alloc(bytes, 1));

  it('changes flow and method, and nothing else', () => {
    expect(withExtraSettings(settings, { flow: 'xtls-rprx-vision', method: 'aes-256-gcm' })).toEqual({
      ...settings,
      vless: { id: settings.vless.id, flow: 'xtls-rprx-vision' },
      shadowsocks: { password: settings.shadowsocks.password, method: 'aes-256-gcm' },
    });
  });

  it('keeps the method of the user where the template has none', () => {
    const own = withExtraSettings(settings, { flow: 'none', method: 'aes-128-gcm' });
    expect(withExtraSettings(own, { flow: 'none', method: null })).toEqual(own);
  });

  it('writes no flow for none and for the empty text', () => {
    const vision = withExtraSettings(settings, { flow: 'xtls-rprx-vision', method: 'aes-256-gcm' });
    const flows = TEMPLATE_FLOWS.map((flow) => withExtraSettings(vision, { flow, method: 'aes-256-gcm' }).vless.flow);
    expect(flows).toEqual(['', '', 'xtls-rprx-vision']);
  });

  it('changes nothing without extra settings', () => {
    expect(withExtraSettings(settings, null)).toEqual(settings);
  });
});
