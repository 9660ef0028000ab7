import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../../api/api-error';
import { startLanguage } from '../i18n/i18n';
import { aboutField, fieldProblems, otherProblems, showFieldErrors } from './field-errors';

const error = new ApiError(422, 'INVALID_FIELDS', '', {
  'subscription.rules[1].pattern': 'no pattern',
  'subscription.title': 'too long',
  general: 'missing',
});

describe('the errors of fields', () => {
  it('lose the name of the section, and lists have dots', () => {
    expect(fieldProblems(error, 'subscription')).toEqual({
      'rules.1.pattern': 'no pattern',
      title: 'too long',
      general: 'missing',
    });
    expect(fieldProblems(new Error('no answer'))).toEqual({});
  });

  it('stand at the field and at its list, and what a form lacks is listed', () => {
    let shown = {};
    showFieldErrors({ setErrors: (errors) => (shown = errors) }, fieldProblems(error, 'subscription'));
    expect(shown).toEqual({
      rules: 'no pattern',
      'rules.1.pattern': 'no pattern',
      title: 'too long',
      general: 'missing',
    });
    expect(otherProblems(fieldProblems(error, 'subscription'), ['rules', 'title'])).toEqual(['general: missing']);
  });

  it('a code that says what is wrong with a field is an error of that field, in the language of the page', async () => {
    await startLanguage('en');
    const thrownFor = (thrown: unknown) =>
      Promise.reject(thrown)
        .catch(aboutField('username', 'USER_EXISTS'))
        .catch((problem: unknown) => problem);
    const exists = await thrownFor(new ApiError(409, 'USER_EXISTS', 'User already exists'));
    expect(fieldProblems(exists)).toEqual({ username: 'There is a user with this name already.' });
    expect(await thrownFor(error)).toBe(error);
  });
});
