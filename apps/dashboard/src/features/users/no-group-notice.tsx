import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { User } from '../../api/types';
import { Notice } from '../../ui/feedback/notice';
import { IconEdit } from '../../ui/icons';

/** Stands where the subscription of a user without a group is shown: it is empty, and an edit of the user mends it. */
export function NoGroupNotice({ user, onEdit }: { user: Pick<User, 'group_ids'>; onEdit: () => void }) {
  const { t } = useTranslation();
  if (user.group_ids.length > 0) return null;
  return (
    <Notice tone="warning" title={t('users.emptyWithoutGroup')}>
      <div>{t('users.groupsHint')}</div>
      <Button mt="xs" size="compact-sm" variant="default" leftSection={<IconEdit size={14} />} onClick={onEdit}>
        {t('common.edit')}
      </Button>
    </Notice>
  );
}
