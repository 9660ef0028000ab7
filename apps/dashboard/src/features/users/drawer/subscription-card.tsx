import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { User } from '../../../api/types';
import { Notice } from '../../../ui/feedback/notice';
import { IconExternal } from '../../../ui/icons';
import { CopyButton } from '../../../ui/share/copy-button';
import { isLoopbackUrl } from '../../../ui/share/loopback';
import { QrCode } from '../../../ui/share/qr-code';
import classes from './subscription-card.module.css';

/** The subscription of a user as a QR code and as a link, to be handed out. */
export function SubscriptionCard({ user, onRevoke }: { user: User; onRevoke: () => void }) {
  const { t } = useTranslation();
  const { subscription_url: url } = user;
  return (
    <div className={classes.card}>
      <QrCode text={url} label={t('users.qrOf', { username: user.username })} />
      <Stack gap="xs" className={classes.link}>
        <Text size="sm">{t('users.handOut')}</Text>
        <TextInput
          value={url}
          readOnly
          dir="ltr"
          aria-label={t('users.link')}
          onFocus={(event) => event.target.select()}
        />
        {isLoopbackUrl(url) && <Notice tone="warning">{t('users.linkOnlyHere')}</Notice>}
        <Group gap="xs">
          <CopyButton text={url} label={t('users.copyLink')} />
          <Button
            component="a"
            href={url}
            target="_blank"
            rel="noreferrer"
            variant="default"
            leftSection={<IconExternal size={16} />}
          >
            {t('users.openPage')}
          </Button>
        </Group>
        <Button variant="subtle" color="gray" size="compact-sm" onClick={onRevoke} style={{ alignSelf: 'start' }}>
          {t('users.revoke')}
        </Button>
      </Stack>
    </div>
  );
}
