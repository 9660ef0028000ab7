import type { CoreDifference } from '../../api/types';
import type { Question } from '../../ui/feedback/confirm';
import { i18n } from '../../ui/i18n/i18n';

type Asked = Omit<Question, 'onConfirm'>;

/** What is asked before a core is saved: what that does to the users of today. */
export function questionsAbout(difference: CoreDifference | undefined): {
  saveOnly: Asked | undefined;
  apply: Asked | undefined;
} {
  const { t } = i18n;
  const { changed = [], removed = [], hosts = [], users = 0, nodes = [] } = difference ?? {};
  const touched = [...changed, ...removed];
  const isFelt = touched.length > 0 && hosts.length > 0 && users > 0;
  const names = touched.join(', ');
  const cut = nodes.filter(({ cut_reason }) => cut_reason !== null).map(({ name }) => name);
  const apply = [
    cut.length > 0 ? t('cores.cutText', { names: cut.join(', ') }) : t('cores.restartText'),
    isFelt && t('cores.applyTouches', { names, count: users }),
  ];
  return {
    // Without users or nodes nobody can notice that nodes and clients differ for a while.
    saveOnly:
      isFelt && nodes.length > 0
        ? { title: t('cores.saveOnlyTitle'), text: t('cores.saveOnlyText', { names }), action: t('common.save') }
        : undefined,
    // No node runs a core whose check names none.
    apply:
      difference?.nodes.length === 0
        ? undefined
        : {
            title: t('cores.restartTitle'),
            text: apply.filter(Boolean).join(' '),
            action: t('cores.saveAndRestart'),
            isDangerous: cut.length > 0,
          },
  };
}
