import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { readEvents } from '../../api/event-stream';
import type { Node } from '../../api/types';
import { Dialog } from '../../ui/dialog/dialog';
import { ErrorPanel } from '../../ui/feedback/error-panel';
import { IconPause, IconPlay, IconSearch } from '../../ui/icons';
import { appended, filtered, type LeastLevel, type LogLine } from './log-lines';
import classes from './node-logs.module.css';

const DRAW_MS = 250;
const SHOWN = 500;
const LEVELS = ['all', 'warning', 'error'] as const;

/** The log of a node as it is written. It can be stopped and filtered; the last lines are kept. */
export function NodeLogs({ node: { id, name }, onClose }: { node: Node; onClose: () => void }) {
  const { t } = useTranslation();
  const [lines, setLines] = useState<LogLine[]>([]);
  const [filter, setFilter] = useState('');
  const [least, setLeast] = useState<LeastLevel>('all');
  const [isRunning, setRunning] = useState(true);
  const [error, setError] = useState<unknown>();
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isRunning) return;
    const stop = new AbortController();
    const waiting: string[] = [];
    const show = () => {
      const texts = waiting.splice(0);
      if (texts.length > 0) setLines((now) => appended(now, texts));
    };
    // Ten thousand lines in a second are drawn four times, not ten thousand times.
    const draw = setInterval(show, DRAW_MS);
    setError(undefined);
    // The stream begins with the lines that the node has kept.
    setLines([]);
    readEvents(`/api/node/${id}/logs`, { signal: stop.signal, onEvent: ({ data }) => void waiting.push(data) })
      .catch(setError)
      .finally(() => {
        if (!stop.signal.aborted) setRunning(false);
      });
    return () => {
      stop.abort();
      clearInterval(draw);
      show();
    };
  }, [id, isRunning]);
  // Newer browsers return a promise here, which React must not get as the clean-up of the effect.
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'end' });
  }, [lines]);
  const shown = filtered(lines, filter, least).slice(-SHOWN);
  return (
    <Dialog onClose={onClose} size="xl" title={t('nodes.logsOf', { name })}>
      <Stack gap="sm">
        <Group wrap="nowrap">
          <TextInput
            flex={1}
            leftSection={<IconSearch size={16} />}
            aria-label={t('nodes.filterLogs')}
            placeholder={t('nodes.filterLogs')}
            value={filter}
            onChange={(event) => setFilter(event.currentTarget.value)}
          />
          <NativeSelect
            aria-label={t('nodes.logLevel')}
            data={LEVELS.map((value) => ({ value, label: t(`nodes.logLevels.${value}`) }))}
            value={least}
            onChange={(event) => setLeast(LEVELS.find((level) => level === event.currentTarget.value) ?? 'all')}
          />
          <Button
            variant="default"
            leftSection={isRunning ? <IconPause size={16} /> : <IconPlay size={16} />}
            onClick={() => setRunning(!isRunning)}
          >
            {isRunning ? t('nodes.stop') : t('nodes.goOn')}
          </Button>
        </Group>
        {error !== undefined && <ErrorPanel error={error} retry={() => setRunning(true)} />}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable by keyboard */}
        <section className={classes.log} dir="ltr" aria-label={t('nodes.logs')} tabIndex={0}>
          {shown.map(({ id: key, text, level }) => (
            <div key={key} data-level={level}>
              {text}
            </div>
          ))}
          {shown.length === 0 && <div>{t('nodes.noLines')}</div>}
          <div ref={end} />
        </section>
      </Stack>
    </Dialog>
  );
}
