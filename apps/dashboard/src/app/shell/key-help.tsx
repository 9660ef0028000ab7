import { Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../ui/dialog/dialog';
import { Keys } from '../../ui/shortcuts/keys';
import { useAllShortcuts } from '../../ui/shortcuts/shortcuts';

/** The keys that work on the page. */
export function KeyHelp({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const shortcuts = useAllShortcuts();
  return (
    <Dialog onClose={onClose} closeOnClickOutside title={t('shell.keys')}>
      <Stack gap="xs">
        {shortcuts.map(({ keys, label }) => (
          <Group key={keys} justify="space-between" wrap="nowrap">
            <Text size="sm">{label}</Text>
            <Keys keys={keys} />
          </Group>
        ))}
      </Stack>
    </Dialog>
  );
}
