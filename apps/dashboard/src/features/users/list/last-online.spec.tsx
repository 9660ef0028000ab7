import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, render } from '@testing-library/react';
import { startLanguage } from '../../../ui/i18n/i18n';
import { LastOnline } from './last-online';

beforeAll(() => startLanguage('en'));
beforeEach(() => void jest.useFakeTimers({ now: Date.parse('2026-11-26T12:00:00Z') }));
afterEach(() => void jest.useRealTimers());

describe(LastOnline.name, () => {
  it('says how long ago a user was online as time passes, though nothing of the user changes', () => {
    const { container } = render(<LastOnline at="2026-11-26T11:59:00Z" />);
    const after = (minutes: number) => {
      act(() => jest.advanceTimersByTime(minutes * 60_000));
      return container.textContent;
    };
    expect([after(0), after(0.5), after(0.5), after(3), after(60)]).toEqual([
      'Online now',
      'Online now',
      '2 minutes ago',
      '5 minutes ago',
      '1 hour ago',
    ]);
  });

  it('says that a user was never online', () => {
    const { container } = render(<LastOnline at={null} />);
    expect(container.textContent).toBe('Never online');
  });
});
