import { Button, Group, List, SegmentedControl, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { coresQuery } from '../../api/queries';
import type { Node } from '../../api/types';
import { Dialog } from '../../ui/dialog/dialog';
import { confirm } from '../../ui/feedback/confirm';
import { Notice } from '../../ui/feedback/notice';
import { QrCode } from '../../ui/share/qr-code';
import { CopyLine } from './copy-line';
import { inboundPorts } from './core-choice';
import { enrolmentLines, writeCommand } from './enrolment-lines';
import { EnrolmentValue } from './enrolment-value';

/** The most that a QR code can hold. */
const QR_LIMIT = 2_900;
const FOLDER = 'mkdir -p rampart-node && cd rampart-node';
const START = 'docker compose --file compose.node.yaml up --detach --wait';

interface Props {
  node: Pick<Node, 'address' | 'port' | 'core_config_id'>;
  /** The line with which the node enrols, `RAMPART_ENROLMENT=…`, shown once: it holds the node's secrets. */
  enrolment: string;
  onClose: () => void;
}

/** What is to be done on the machine of a node that was just enrolled. */
export function EnrolmentDialog({ node, enrolment, onClose }: Props) {
  const { t } = useTranslation();
  const { data } = useQuery(coresQuery);
  const [way, setWay] = useState('containers');
  const [isCopied, setCopied] = useState(false);
  const [hasQr, setQr] = useState(false);
  const core = data?.cores.find(({ id }) => id === node.core_config_id);
  const { env, ports } = enrolmentLines(enrolment, node.port, core ? inboundPorts(core) : []);
  const onCopied = () => setCopied(true);
  const close = () => {
    if (isCopied) return onClose();
    confirm({
      title: t('nodes.notCopiedTitle'),
      text: t('nodes.notCopiedText'),
      action: t('nodes.closeAnyway'),
      onConfirm: onClose,
    });
  };
  const last = <List.Item>{t('nodes.stepLast', { address: `${node.address}:${node.port}` })}</List.Item>;
  return (
    <Dialog onClose={close} size="lg" title={t('nodes.enrolmentTitle')}>
      <Stack gap="md">
        <Notice tone="warning" title={t('nodes.shownOnce')}>
          {t('nodes.shownOnceText')}
        </Notice>
        <SegmentedControl
          aria-label={t('nodes.way')}
          value={way}
          onChange={setWay}
          data={[
            { value: 'containers', label: 'Docker Compose' },
            { value: 'clone', label: t('nodes.withoutContainers') },
          ]}
        />
        {way === 'containers' ? (
          <List type="ordered" size="sm" spacing="xs" styles={{ itemWrapper: { display: 'block' } }}>
            <List.Item>
              {t('nodes.stepFile', { file: 'deploy/compose.node.yaml' })}
              <CopyLine text={FOLDER} />
            </List.Item>
            <List.Item>
              {t('nodes.stepEnv', { file: '.env' })}
              <EnrolmentValue lines={env} command={writeCommand(env, '.env')} onCopied={onCopied} />
              {ports.length > 0 &&
                t('nodes.stepPorts', { ports: ports.slice(0, 20).join(', '), file: 'compose.node.yaml' })}
            </List.Item>
            <List.Item>
              {t('nodes.stepStart')}
              <CopyLine text={START} />
            </List.Item>
            {last}
          </List>
        ) : (
          <List type="ordered" size="sm" spacing="xs" styles={{ itemWrapper: { display: 'block' } }}>
            <List.Item>{t('nodes.stepClone')}</List.Item>
            <List.Item>
              {t('nodes.stepRun')}
              <CopyLine
                text={`${enrolment} npm run node`}
                shown="RAMPART_ENROLMENT=… npm run node"
                onCopied={onCopied}
              />
            </List.Item>
            <List.Item>
              {t('nodes.stepService', { file: '/etc/rampart/node.env', guide: 'docs/operators.md' })}
              <EnrolmentValue lines={enrolment} onCopied={onCopied} />
            </List.Item>
            {last}
          </List>
        )}
        {enrolment.length <= QR_LIMIT && (
          <Group>
            <Button variant="subtle" aria-expanded={hasQr} onClick={() => setQr(!hasQr)}>
              {t('nodes.showQr')}
            </Button>
          </Group>
        )}
        {hasQr && <QrCode text={enrolment} label={t('nodes.enrolmentTitle')} />}
      </Stack>
    </Dialog>
  );
}
