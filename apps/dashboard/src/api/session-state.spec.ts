import { describe, expect, it } from '@jest/globals';
import { rememberLogin, wasLoggedIn } from './session-state';

describe(rememberLogin.name, () => {
  it('keeps in this browser whether somebody is logged in', () => {
    expect(wasLoggedIn()).toBe(false);
    rememberLogin(true);
    expect(wasLoggedIn()).toBe(true);
    rememberLogin(false);
    expect(wasLoggedIn()).toBe(false);
    expect(localStorage).toHaveLength(0);
  });
});
