import { Button, Group } from '@mantine/core';
import { type RefObject, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { confirm } from '../../ui/feedback/confirm';
import { Notice } from '../../ui/feedback/notice';
import { notifyError } from '../../ui/feedback/notify';
import { IconKey } from '../../ui/icons';
import type { EditorHandle } from './json-editor';

/** Puts a new REALITY key pair and short id into the inbound at the cursor; its public key is shown beside the editor. */
export function RealityButton({ handle }: { handle: RefObject<EditorHandle | undefined> }) {
  const { t } = useTranslation();
  const [made, setMade] = useState<{ tag: string } | 'none'>();
  const make = async () => {
    const editor = handle.current;
    if (!editor) return;
    const { hasRealityKey, newRealityKeys, realityInbound, tagOf, withRealityKeys } = await import('./reality');
    const index = realityInbound(editor.text(), editor.cursor());
    if (index === undefined) return setMade('none');
    const tag = tagOf(editor.text(), index);
    const replace = () => {
      editor.replace(withRealityKeys(editor.text(), index, newRealityKeys()));
      setMade({ tag });
    };
    if (!hasRealityKey(editor.text(), index)) return replace();
    confirm({
      title: t('cores.replaceKeysTitle', { tag }),
      text: t('cores.replaceKeysText'),
      action: t('cores.newKeys'),
      onConfirm: replace,
    });
  };
  return (
    <>
      <Group>
        <Button variant="default" leftSection={<IconKey size={16} />} onClick={() => void make().catch(notifyError)}>
          {t('cores.newKeys')}
        </Button>
      </Group>
      {made === 'none' && <Notice tone="warning" isAlert title={t('cores.noReality')} />}
      {made !== undefined && made !== 'none' && (
        <Notice tone="good" isAlert title={t('cores.newKeysDone', { tag: made.tag })} />
      )}
    </>
  );
}
