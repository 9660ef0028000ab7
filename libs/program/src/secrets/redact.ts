const GONE = '[redacted]';

/** What looks like a secret, and what stands in its place. None of them takes more than linear time. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,20}PRIVATE KEY-----)?/g, GONE],
  // The token in the path of a subscription, unless it is the pattern of the route; a subscription or API token anywhere.
  [/(\/sub\/)(?!:)[^\s/?#"'<>\\]+/gi, `$1${GONE}`],
  [/\bdjEu[\w-]{1,200}\.[\w-]+/g, GONE],
  [/\brampart_[\w-]{16,}/g, GONE],
  [/\brampart-enrolment-[\w.-]+/g, GONE],
  // Login tokens, and whatever stands in the header that carries them.
  [/\beyJ[\w-]{1,300}\.[\w-]{1,4000}\.[\w-]*/g, GONE],
  [/\b(bearer|basic) +[^\s,;"']+/gi, `$1 ${GONE}`],
  [/\b((?:set-)?cookie"? *[:=] *).+/gi, `$1${GONE}`],
  // The password in a URL.
  [/(:\/\/[^\s/:@]*:)[^\s/@]+@/g, `$1${GONE}@`],
  // A name of a secret with its value, as in JSON, a form, a query, an assignment or a header; after the name of a setting
  // and a colon stands what is wrong with it, in words.
  [
    /\b(?!RAMPART_\w+: )([\w-]{0,40}(?:password|passwd|secret|token|api_?-?key|authorization|enrolment|(?:jwt|at_rest|subscription|private)_?key)"?(?: ?= ?|: ?))("[^"\n]*"|'[^'\n]*'|[^\s,;&"'}\]]+)/gi,
    `$1${GONE}`,
  ],
];

/**
 * Returns a function that removes secrets from a text: those that are given, and everything that looks like one.
 *
 * @param secrets values that must not be shown, such as those of the settings.
 */
export function redactor(secrets: readonly string[] = []): (text: string) => string {
  // The longest first: one secret may be a part of another.
  const known = secrets.filter((secret) => secret.length >= MIN_LENGTH).sort((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const secret of known) clean = clean.replaceAll(secret, GONE);
    for (const [pattern, instead] of PATTERNS) clean = clean.replaceAll(pattern, instead);
    return clean;
  };
}

/** Shorter values would be found in words of the log. */
const MIN_LENGTH = 8;
