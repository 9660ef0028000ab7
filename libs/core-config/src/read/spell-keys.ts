import { CoreConfigError } from './core-config-error.js';
import { foldCase } from './fold-case.js';
import { isJsonObject } from './json-cursor.js';

/** A member of an object that one of the apps reads. */
export interface KnownKey {
  /** The engine's own spelling. */
  readonly name: string;
  /** The known members of its object, or of each object in its list. */
  readonly inside?: KnownKeys;
  /** True when the engine does not read the member on an inbound: a second spelling is allowed, and its own one counts. */
  readonly mayStandTwice?: boolean;
}

/** The known members of an object by their case-folded names. */
export type KnownKeys = ReadonlyMap<string, KnownKey>;

/** Whether a member that its object also has in another spelling is an error or stays unchanged. */
export type TwicePolicy = 'refuse' | 'keep';

/**
 * Gives known keys the engine's own spelling: the engine recognises them in any case. Unknown keys, values and the order
 * of keys stay. A value in which nothing changes is returned itself, not a copy.
 *
 * @param value an object, or a list of objects; anything else is returned as it is
 * @param path of the value, for errors
 * @throws CoreConfigError where a key stands twice in different spellings and the policy is `refuse`: the engine would
 *   mix both, and one of them would escape every rule
 */
export function spellKeys(value: unknown, known: KnownKeys, path: string, twice: TwicePolicy): unknown {
  if (Array.isArray(value)) {
    const list = value.map((item, index) => spellKeys(item, known, `${path}[${index}]`, twice));
    return list.some((item, index) => item !== value[index]) ? list : value;
  }
  if (!isJsonObject(value)) return value;
  const spelled: Record<string, unknown> = {};
  let isChanged = false;
  for (const [key, member] of Object.entries(value)) {
    const found = known.get(foldCase(key));
    let name = found?.name ?? key;
    if (name !== key && (Object.hasOwn(value, name) || Object.hasOwn(spelled, name))) {
      if (twice === 'refuse' && !found?.mayStandTwice) {
        throw new CoreConfigError(`${path || 'the configuration'} has "${name}" twice, in different spellings`, path);
      }
      name = key;
    }
    const inside = found?.inside;
    spelled[name] = inside ? spellKeys(member, inside, path === '' ? name : `${path}.${name}`, twice) : member;
    isChanged ||= name !== key || spelled[name] !== member;
  }
  return isChanged ? spelled : value;
}
