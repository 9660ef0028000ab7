import { Group, Kbd } from '@mantine/core';

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
const SHOWN: Readonly<Record<string, string>> = {
  mod: isApple ? '⌘' : 'Ctrl',
  enter: '↵',
  arrowup: '↑',
  arrowdown: '↓',
};

/** Shows the keys of a shortcut, from left to right in every language. */
export function Keys({ keys }: { keys: string }) {
  const strokes = keys.split(/[ +]/);
  return (
    <Group gap={4} wrap="nowrap" dir="ltr" component="span">
      {strokes.map((key, place) => (
        <Kbd key={`${place} ${key}`} size="xs">
          {SHOWN[key] ?? key.toUpperCase()}
        </Kbd>
      ))}
    </Group>
  );
}
