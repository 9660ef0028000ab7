import { ActionIcon, Menu, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { changeLanguage } from '../../ui/i18n/i18n';
import { LANGUAGE, LANGUAGES } from '../../ui/i18n/languages';
import { IconMenu } from '../../ui/icon-menu';
import { IconCheck, IconLanguage, IconMoon, IconSun } from '../../ui/icons';

/** The language and the colours of the page, which this browser remembers. */
export function Preferences() {
  const { t, i18n } = useTranslation();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  return (
    <>
      <IconMenu label={t('shell.language')} icon={IconLanguage}>
        {LANGUAGES.map((language) => (
          <Menu.Item
            key={language}
            lang={language}
            dir={LANGUAGE[language].dir}
            rightSection={i18n.language === language && <IconCheck size={14} />}
            onClick={() => void changeLanguage(language)}
          >
            {LANGUAGE[language].name}
          </Menu.Item>
        ))}
      </IconMenu>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={scheme === 'dark' ? t('shell.light') : t('shell.dark')}
        onClick={() => setColorScheme(scheme === 'dark' ? 'light' : 'dark')}
      >
        {scheme === 'dark' ? <IconSun size={18} /> : <IconMoon size={18} />}
      </ActionIcon>
    </>
  );
}
