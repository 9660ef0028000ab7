import { Group, List, Stack, Textarea } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../ui/dialog/dialog';
import { Notice } from '../../ui/feedback/notice';
import { CopyButton } from '../../ui/share/copy-button';
import { QrCode } from '../../ui/share/qr-code';

/** The most that a QR code can hold. */
const QR_LIMIT = 2_900;

/** The line with which a node enrols, `RAMPART_ENROLMENT=…`, shown once: it holds the node's secrets. */
export function EnrolmentDialog({ value, onClose }: { value: string; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog onClose={onClose} size="lg" title={t('nodes.enrolmentTitle')}>
      <Stack gap="md">
        <Notice tone="warning" title={t('nodes.shownOnce')}>
          {t('nodes.shownOnceText')}
        </Notice>
        <List type="ordered" size="sm" spacing={4}>
          <List.Item>{t('nodes.step1')}</List.Item>
          <List.Item>{t('nodes.step2')}</List.Item>
          <List.Item>{t('nodes.step3')}</List.Item>
        </List>
        <Textarea
          value={value}
          readOnly
          rows={4}
          dir="ltr"
          aria-label={t('nodes.enrolmentTitle')}
          onFocus={(event) => event.target.select()}
        />
        <Group>
          <CopyButton text={value} label={t('common.copy')} />
        </Group>
        {value.length <= QR_LIMIT && <QrCode text={value} label={t('nodes.enrolmentTitle')} />}
      </Stack>
    </Dialog>
  );
}
