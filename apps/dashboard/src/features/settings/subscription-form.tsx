import { Checkbox, Fieldset, NumberInput, SimpleGrid, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { FormPanel } from '../../ui/form/form-panel';
import { changedMembers, useSave } from '../../ui/form/use-save';
import { FORMATS } from './formats';
import { LogoField } from './logo-field';
import { type StoredSettings, saveSubscription, useShowSaved } from './settings-queries';
import { subscriptionValues } from './subscription-values';

/** What subscriptions say of themselves, what they contain, and which formats have a path of their own. */
export function SubscriptionForm({ stored }: { stored: StoredSettings }) {
  const { t } = useTranslation();
  const show = useShowSaved();
  const form = useForm({ initialValues: subscriptionValues(stored) });
  const save = useSave({
    form,
    before: stored,
    valuesOf: subscriptionValues,
    // Members that are as they were stay as somebody else may have saved them.
    send: (values, header, now: StoredSettings | undefined) => {
      const { update_interval: hours, ...others } = changedMembers(subscriptionValues(stored), values);
      return saveSubscription(
        { ...others, ...(hours !== undefined && { update_interval: Number(hours) }) },
        header,
        now,
      );
    },
    section: 'subscription',
    shownBy: [],
    onSaved: show.settings,
  });
  const ltr = { dir: 'ltr', placeholder: 'https://…' } as const;
  return (
    <FormPanel form={form} save={save}>
      <Fieldset legend={t('settings.shown')}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label={t('form.profileTitle')}
            description={t('settings.profileTitleHint')}
            required
            {...form.getInputProps('profile_title')}
          />
          <TextInput
            label={t('form.supportUrl')}
            description={t('settings.supportUrlHint')}
            {...ltr}
            {...form.getInputProps('support_url')}
          />
          <Textarea
            label={t('settings.announce')}
            description={t('settings.announceHint')}
            autosize
            maxLength={128}
            {...form.getInputProps('announce')}
          />
          <TextInput
            label={t('settings.announceUrl')}
            description={t('settings.announceUrlHint')}
            {...ltr}
            {...form.getInputProps('announce_url')}
          />
          <LogoField {...form.getInputProps('logo')} />
        </SimpleGrid>
      </Fieldset>
      <Fieldset legend={t('settings.delivery')}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label={t('form.urlPrefix')}
            description={t('settings.urlPrefixHint')}
            {...ltr}
            {...form.getInputProps('url_prefix')}
          />
          <NumberInput
            label={t('settings.updateInterval')}
            description={t('settings.updateIntervalHint')}
            min={1}
            max={8760}
            allowDecimal={false}
            suffix={` ${t('settings.hours')}`}
            {...form.getInputProps('update_interval')}
          />
          <TextInput
            label="{SERVER_IP}"
            description={t('settings.serverIpHint')}
            dir="ltr"
            {...form.getInputProps('server_ip')}
          />
          <TextInput
            label="{SERVER_IPV6}"
            description={t('settings.serverIpHint')}
            dir="ltr"
            {...form.getInputProps('server_ipv6')}
          />
        </SimpleGrid>
        <Stack gap="sm" mt="md">
          {(['host_status_filter', 'randomize_order', 'disable_sub_template'] as const).map((name) => (
            <Switch
              key={name}
              label={t(`settings.switches.${name}`)}
              description={t(`settings.switchHints.${name}`)}
              {...form.getInputProps(name, { type: 'checkbox' })}
            />
          ))}
        </Stack>
      </Fieldset>
      <Fieldset legend={t('settings.formats')}>
        <SimpleGrid cols={{ base: 2, sm: 4 }}>
          {FORMATS.map((format) => (
            <Checkbox
              key={format}
              label={t(`settings.targets.${format}`)}
              {...form.getInputProps(`manual_sub_request.${format}`, { type: 'checkbox' })}
            />
          ))}
        </SimpleGrid>
      </Fieldset>
    </FormPanel>
  );
}
