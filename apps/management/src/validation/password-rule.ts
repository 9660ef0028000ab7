import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

const PASSWORD_MIN_LENGTH = 12;
/** Maximum length, because the time of hashing grows with it. */
const PASSWORD_MAX_LENGTH = 1024;
/** Guesses that a password must withstand by the estimate of zxcvbn, which knows 49,000 common ones and their variations. */
const MIN_GUESSES = 1e8;
/** How many characters are estimated, and with how many sets of letters in place of digits: more take a second of the thread. */
const ESTIMATED_LENGTH = 24;
const MAX_SUBSTITUTIONS = 4;

/** JSON Schema of a password. */
export const PASSWORD_SCHEMA = { minLength: PASSWORD_MIN_LENGTH, maxLength: PASSWORD_MAX_LENGTH };

/** What is wrong with the length of a password; undefined when nothing is. It costs nothing. */
export function passwordLengthProblem(password: string): string | undefined {
  if (password.length > PASSWORD_MAX_LENGTH) return `Password must have at most ${PASSWORD_MAX_LENGTH} characters`;
  // Characters outside the basic plane count as two in `length`.
  if ([...password].length < PASSWORD_MIN_LENGTH)
    return `Password must have at least ${PASSWORD_MIN_LENGTH} characters`;
  return undefined;
}

/** A sentence that says what is wrong with the password of an admin; undefined when nothing is. It takes tens of milliseconds at most. */
export function passwordProblem(password: string, username: string): string | undefined {
  const problem = passwordLengthProblem(password);
  if (problem !== undefined) return problem;
  if (password.toLowerCase() === username.toLowerCase()) return 'Password must not be the username';
  return isEasyToGuess(password, username)
    ? 'Password must not be a common one, nor made of names, repetitions or sequences'
    : undefined;
}

function isEasyToGuess(password: string, username: string): boolean {
  estimator ??= new ZxcvbnFactory({
    dictionary,
    graphs: adjacencyGraphs,
    maxLength: ESTIMATED_LENGTH,
    l33tMaxSubstitutions: MAX_SUBSTITUTIONS,
  });
  return estimator.check(password.slice(0, ESTIMATED_LENGTH), ['rampart', username]).guesses < MIN_GUESSES;
}

/** Made when it is first needed: its dictionary takes some megabytes. */
let estimator: ZxcvbnFactory | undefined;
