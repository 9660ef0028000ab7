import { foldCase } from '@rampart/core-config';
import { RE2JS, RE2JSSyntaxException } from 're2js';
import { isObject, refuse, textsIn } from '../json-tree.js';

const REGEXP = 'regexp:';
const DOTLESS = 'dotless:';
const DUPLICATE_NAME = 'duplicate capture group name';

/**
 * Throws CONFIG_REFUSED for a pattern that the engine cannot read: for a domain or user the engine would ignore it, so the
 * rule matches less than it says, and for an attribute it would crash.
 */
export function checkPatterns(tree: unknown): void {
  for (const { path, text } of textsIn(tree)) {
    if (text.startsWith(REGEXP)) compile(path, text.slice(REGEXP.length));
    if (text.startsWith(DOTLESS)) compile(path, text.slice(DOTLESS.length));
  }
  checkAttributes(tree, '');
}

function checkAttributes(value: unknown, path: string): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkAttributes(item, `${path}[${index}]`);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      const itemPath = path === '' ? key : `${path}.${key}`;
      checkAttributes(item, itemPath);
      if (foldCase(key) !== 'attrs' || !isObject(item)) continue;
      for (const [name, pattern] of Object.entries(item)) {
        if (typeof pattern === 'string') compile(`${itemPath}.${name}`, pattern);
      }
    }
  }
}

/** Compiles a pattern in RE2 syntax, which the engine uses. */
function compile(path: string, pattern: string): void {
  try {
    RE2JS.compile(pattern);
  } catch (cause) {
    // RE2 refuses duplicate names of groups and Go does not.
    if (cause instanceof RE2JSSyntaxException && cause.getDescription() === DUPLICATE_NAME) return;
    refuse(`${path}: "${pattern}" is not a regular expression in RE2 syntax`, cause);
  }
}
