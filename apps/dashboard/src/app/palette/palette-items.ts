import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { listUsers } from '../../api/list-users';
import { IconActivity, IconUser } from '../../ui/icons';
import { useAllShortcuts } from '../../ui/shortcuts/shortcuts';
import { PAGES } from '../navigation';

export interface PaletteItem {
  id: string;
  icon: typeof IconUser;
  label: string;
  note?: string;
  keys?: string;
  run: () => void;
}

const TYPING_MS = 150;
const USERS = 6;
const OWN_KEY = 'mod+k';

/** What the palette offers for a text: actions and pages whose names contain it, and users. */
export function usePaletteItems(text: string): PaletteItem[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const shortcuts = useAllShortcuts();
  const [search] = useDebouncedValue(text.trim(), TYPING_MS);
  const { data } = useQuery({
    queryKey: ['users', 'palette', search],
    queryFn: ({ signal }) => listUsers(['username', 'note'], { search, limit: USERS, sort: '-online_at' }, signal),
    enabled: search.length > 0,
  });
  const words = text.trim().toLocaleLowerCase();
  const actions = shortcuts
    .filter(({ keys, label }) => keys !== OWN_KEY && label.toLocaleLowerCase().includes(words))
    .map(({ keys, label, run }) => {
      const page = PAGES.find(({ letter }) => keys === `g ${letter}`);
      return { id: `keys:${keys}`, icon: page?.icon ?? IconActivity, label, keys, run };
    });
  const users = (search && words ? (data?.users ?? []) : []).map(({ username, note }) => ({
    id: `user:${username}`,
    icon: IconUser,
    label: username,
    note: note?.slice(0, 40) ?? t('nav.users'),
    run: () => void navigate({ to: '/users/$username', params: { username } }),
  }));
  return [...users, ...actions];
}
