import { Fieldset, MultiSelect, NumberInput, Select, SimpleGrid, Switch, TagsInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client';
import { inboundsQuery } from '../../api/queries';
import type { Host } from '../../api/types';
import { notifyWarning } from '../../ui/feedback/notify';
import { FormDialog } from '../../ui/form/form-dialog';
import { useSave } from '../../ui/form/use-save';
import { HostFindings } from './host-findings';
import classes from './host-form.module.css';
import { type HostValues, hostBody, hostValues } from './host-values';

const FINGERPRINTS = [
  'none',
  'chrome',
  'firefox',
  'safari',
  'ios',
  'android',
  'edge',
  '360',
  'qq',
  'random',
  'randomized',
];

interface Props {
  /** undefined: a new host. */
  host?: Host;
  /** The highest priority of all hosts, after which a new one comes. */
  last?: number;
  onClose: () => void;
}

/** The form of a host, in sections: where clients connect, how the connection is secured, and its transport. */
export function HostForm({ host: stored, last = 0, onClose }: Props) {
  const { t } = useTranslation();
  // What others change while the form is open is no part of what it began with.
  const [host] = useState(stored);
  const { data: inbounds } = useQuery(inboundsQuery);
  const form = useForm<HostValues>({ initialValues: hostValues(host) });
  const save = useSave({
    form,
    before: host,
    valuesOf: hostValues,
    send: (values, header, current) => {
      const body = hostBody(current, values, last + 1);
      return dataOf(
        host
          ? api.PUT('/api/host/{host_id}', { params: { path: { host_id: host.id }, header }, body })
          : api.POST('/api/host', { body }),
      );
    },
    shownBy: ['hosts'],
    onSaved: ({ warnings }) => {
      onClose();
      for (const { message } of warnings) notifyWarning(message);
    },
  });
  const tags = { clearable: true, clearButtonProps: { 'aria-label': t('common.clear') }, dir: 'ltr' as const };
  const securities = ['inbound_default', 'none', 'tls', 'reality'] as const;
  return (
    <FormDialog
      title={host ? t('users.editTitle', { username: host.remark }) : t('hosts.create')}
      onClose={onClose}
      form={form}
      save={save}
      submitLabel={host ? t('common.save') : t('common.create')}
      size="1080px"
    >
      <div className={classes.columns}>
        <div className={classes.fields}>
          <Fieldset legend={t('hosts.basics')}>
            <TextInput
              label={t('users.name')}
              description={t('hosts.remarkHint')}
              required
              data-autofocus
              {...form.getInputProps('remark')}
            />
            <Select
              mt="sm"
              label={t('hosts.inbound')}
              required
              searchable
              data={[...new Set([...(inbounds ?? []), ...(host ? [host.inbound_tag] : [])])]}
              {...form.getInputProps('inbound_tag')}
            />
            <SimpleGrid cols={{ base: 1, xs: 2 }} mt="sm">
              <TagsInput
                label={t('nodes.address')}
                description={t('hosts.addressHint')}
                {...tags}
                {...form.getInputProps('address')}
              />
              <NumberInput
                label={t('nodes.port')}
                description={t('hosts.portHint')}
                min={1}
                max={65535}
                allowDecimal={false}
                {...form.getInputProps('port')}
              />
            </SimpleGrid>
            <Switch
              mt="sm"
              label={t('hosts.isDisabled')}
              {...form.getInputProps('is_disabled', { type: 'checkbox' })}
            />
          </Fieldset>
          <Fieldset legend={t('hosts.security')}>
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              <Select
                label={t('hosts.security')}
                data={securities.map((value) => ({ value, label: t(`hosts.securities.${value}`) }))}
                allowDeselect={false}
                {...form.getInputProps('security')}
              />
              <Select
                label={t('hosts.fingerprint')}
                data={FINGERPRINTS}
                allowDeselect={false}
                {...form.getInputProps('fingerprint')}
              />
              <TagsInput label="SNI" {...tags} {...form.getInputProps('sni')} />
              <MultiSelect label="ALPN" data={['h3', 'h2', 'http/1.1']} {...tags} {...form.getInputProps('alpn')} />
            </SimpleGrid>
            <Switch
              mt="sm"
              label={t('hosts.insecure')}
              {...form.getInputProps('allowinsecure', { type: 'checkbox' })}
            />
          </Fieldset>
          <Fieldset legend={t('hosts.transport')}>
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              <TagsInput label={t('hosts.hostHeader')} {...tags} {...form.getInputProps('host')} />
              <TextInput label={t('hosts.path')} dir="ltr" {...form.getInputProps('path')} />
            </SimpleGrid>
          </Fieldset>
        </div>
        <HostFindings id={host?.id} body={hostBody(host, form.getValues(), last + 1)} />
      </div>
    </FormDialog>
  );
}
