import { ActionIcon, Button, Group, Menu, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../../ui/dialog/dialog';
import { IconDelete, IconView } from '../../../ui/icons';
import type { UserSearch } from '../user-search';
import { COMMON_VIEWS, type SavedView, storedViews, storeViews, viewOf, withView } from './saved-views';

interface Props {
  search: UserSearch;
  onChoose: (search: UserSearch) => void;
}

/** Filters and orders under a name: those that everybody has, and those that were saved in this browser. */
export function ViewsMenu({ search, onChoose }: Props) {
  const { t } = useTranslation();
  const [views, setViews] = useState(storedViews);
  const [isSaving, setSaving] = useState(false);
  const keep = (next: SavedView[]) => {
    storeViews(next);
    setViews(next);
  };
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get('name')).trim();
    if (name === '') return;
    keep(withView(views, { name, search: viewOf(search) }));
    setSaving(false);
  };
  return (
    <>
      <Menu>
        <Menu.Target>
          <Button variant="default" leftSection={<IconView size={16} />}>
            {t('views.title')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {Object.entries(COMMON_VIEWS).map(([name, view]) => (
            <Menu.Item key={name} onClick={() => onChoose(view)}>
              {t(`views.common.${name as keyof typeof COMMON_VIEWS}`)}
            </Menu.Item>
          ))}
          {views.length > 0 && <Menu.Divider />}
          {views.map((view) => (
            <Group key={view.name} gap={4} wrap="nowrap">
              <Menu.Item onClick={() => onChoose(view.search)}>
                <bdi>{view.name}</bdi>
              </Menu.Item>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`${t('common.delete')}: ${view.name}`}
                onClick={() => keep(views.filter((one) => one !== view))}
              >
                <IconDelete size={14} />
              </ActionIcon>
            </Group>
          ))}
          <Menu.Divider />
          <Menu.Item onClick={() => setSaving(true)}>{t('views.save')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isSaving && (
        <Dialog onClose={() => setSaving(false)} title={t('views.save')}>
          <form onSubmit={save}>
            <Stack>
              <TextInput
                name="name"
                label={t('users.name')}
                description={t('views.hint')}
                required
                maxLength={60}
                data-autofocus
              />
              <Button type="submit" style={{ alignSelf: 'end' }}>
                {t('common.save')}
              </Button>
            </Stack>
          </form>
        </Dialog>
      )}
    </>
  );
}
