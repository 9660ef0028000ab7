import { DirectionProvider, MantineProvider, useDirection } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Notifications } from '@mantine/notifications';
import { type ComponentType, lazy, Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { openQuestion, type Question, useOpenQuestion } from '../ui/feedback/confirm';
import { ErrorBoundary } from '../ui/feedback/error-panel';
import { isLanguage, LANGUAGE } from '../ui/i18n/languages';
import { nonce } from '../ui/nonce';
import { theme } from '../ui/theme';
import { SessionGate } from './session-gate';

interface QuestionProps {
  question: Question;
  onClose: () => void;
}

// A question must be asked even where its dialog cannot be loaded.
const ConfirmDialog = lazy<ComponentType<QuestionProps>>(() =>
  import('../ui/feedback/confirm-dialog').then(
    ({ ConfirmDialog }) => ({ default: ConfirmDialog }),
    () => ({ default: BrowserQuestion }),
  ),
);

/** The whole dashboard, with what all of its pages need. */
export function App() {
  return (
    <DirectionProvider
      detectDirection={false}
      initialDirection={document.documentElement.dir === 'rtl' ? 'rtl' : 'ltr'}
    >
      <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
        <LanguageDirection />
        <Toasts />
        <ErrorBoundary>
          <SessionGate />
        </ErrorBoundary>
        <OpenQuestion />
      </MantineProvider>
    </DirectionProvider>
  );
}

/** Messages stand where they cover neither a drawer nor the buttons of a dialog; on a phone that is below the titles (styles.css). */
function Toasts() {
  const { dir } = useDirection();
  const isWide = useMediaQuery('(min-width: 48em)');
  const corner = dir === 'rtl' ? 'bottom-right' : 'bottom-left';
  return <Notifications position={isWide ? corner : 'top-center'} />;
}

function OpenQuestion() {
  const question = useOpenQuestion();
  return <Suspense>{question && <ConfirmDialog question={question} onClose={openQuestion.close} />}</Suspense>;
}

/** Asks a question of `confirm` with the browser's own dialog, where ours could not be loaded. */
function BrowserQuestion({ question, onClose }: QuestionProps) {
  useEffect(() => {
    onClose();
    if (window.confirm(question.text)) question.onConfirm();
  }, [question, onClose]);
  return null;
}

/** Turns the components around when the language changes. */
function LanguageDirection() {
  const { i18n } = useTranslation();
  const { setDirection } = useDirection();
  const dir = isLanguage(i18n.language) ? LANGUAGE[i18n.language].dir : 'ltr';
  useEffect(() => setDirection(dir), [dir, setDirection]);
  return null;
}
