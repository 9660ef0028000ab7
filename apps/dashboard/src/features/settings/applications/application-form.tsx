import { Button, Fieldset, Group, Select, SimpleGrid, Switch, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import type { Application } from '../../../api/types';
import { FormDialog } from '../../../ui/form/form-dialog';
import { useSave } from '../../../ui/form/use-save';
import { IconDelete, IconPlus } from '../../../ui/icons';
import { RowActions } from '../../../ui/list/row-actions';
import { type StoredSettings, saveSubscription, useShowSaved } from '../settings-queries';
import { applicationValues, PLATFORMS, TEXT_LANGUAGES, withApplication } from './application-values';

const LANGUAGES = ['en', 'fa', 'ru', 'zh'] as const;
const languages = LANGUAGES.map((value) => ({ value, label: TEXT_LANGUAGES[value] }));

interface Props {
  stored: StoredSettings;
  /** The place of the application in the list; undefined: a new one. */
  at: number | undefined;
  onClose: () => void;
}

/** The form of an application that the page of a subscription offers. */
export function ApplicationForm({ stored, at, onClose }: Props) {
  const { t } = useTranslation();
  const show = useShowSaved();
  const list: Application[] = stored.subscription.applications ?? [];
  const before = at === undefined ? undefined : list[at];
  const form = useForm({ initialValues: applicationValues(before) });
  const save = useSave({
    form,
    before: stored,
    valuesOf: ({ subscription }) => applicationValues(at === undefined ? undefined : subscription.applications?.[at]),
    send: (values, header, now: StoredSettings | undefined) =>
      saveSubscription(
        { applications: withApplication(now?.subscription.applications ?? list, at, values) },
        header,
        now,
      ),
    section: `subscription.applications.${at ?? list.length}`,
    shownBy: [],
    onSaved: (saved) => {
      show.settings(saved);
      onClose();
    },
  });
  return (
    <FormDialog
      title={before ? t('users.editTitle', { username: before.name }) : t('settings.addApplication')}
      onClose={onClose}
      form={form}
      save={save}
      submitLabel={t('common.save')}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label={t('users.name')} required maxLength={32} data-autofocus {...form.getInputProps('name')} />
        <Select
          label={t('settings.platform')}
          data={PLATFORMS.map((value) => ({ value, label: t(`settings.platforms.${value}`) }))}
          allowDeselect={false}
          {...form.getInputProps('platform')}
        />
      </SimpleGrid>
      <TextInput
        label={t('settings.importUrl')}
        description={t('settings.importUrlHint')}
        placeholder="app://import/{url}"
        dir="ltr"
        {...form.getInputProps('import_url')}
      />
      <TextInput label={t('settings.iconUrl')} placeholder="https://…" dir="ltr" {...form.getInputProps('icon_url')} />
      <Switch label={t('settings.recommended')} {...form.getInputProps('recommended', { type: 'checkbox' })} />
      <Fieldset legend={t('settings.downloads')}>
        {form.getValues().download_links.map((_, place) => (
          <Group key={place} align="flex-end" gap="xs" mb="sm">
            <TextInput
              style={{ flex: '1 1 110px' }}
              label={t('users.name')}
              required
              {...form.getInputProps(`download_links.${place}.name`)}
            />
            <TextInput
              style={{ flex: '2 1 160px' }}
              label="URL"
              required
              dir="ltr"
              {...form.getInputProps(`download_links.${place}.url`)}
            />
            <Select
              style={{ flex: '1 1 110px' }}
              label={t('shell.language')}
              data={languages}
              allowDeselect={false}
              {...form.getInputProps(`download_links.${place}.language`)}
            />
            <RowActions
              name={`${place + 1}`}
              actions={[
                {
                  label: t('common.delete'),
                  icon: IconDelete,
                  run: () => form.removeListItem('download_links', place),
                },
              ]}
            />
          </Group>
        ))}
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} />}
          onClick={() => form.insertListItem('download_links', { name: '', url: '', language: 'en' })}
        >
          {t('settings.addDownload')}
        </Button>
      </Fieldset>
      <Fieldset legend={t('settings.descriptions')}>
        {languages.map(({ value, label }) => (
          <Textarea
            key={value}
            label={label}
            dir="auto"
            autosize
            maxLength={1024}
            {...form.getInputProps(`description.${value}`)}
          />
        ))}
      </Fieldset>
    </FormDialog>
  );
}
