import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { listUsers } from '../../api/list-users';
import { coresQuery, nodesQuery, selfQuery } from '../../api/queries';
import { IconActivity, IconCore, IconNodes, IconUser } from '../../ui/icons';
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
const SERVERS = 6;
const NO_CORES = { cores: [] };
const OWN_KEY = 'mod+k';

/** What the palette offers for a text: users, nodes, cores, actions and pages whose names contain it. */
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
  const { data: self } = useQuery(selfQuery);
  const isSought = words !== '' && self?.is_sudo === true;
  const { data: nodes = [] } = useQuery({ ...nodesQuery, enabled: isSought });
  const { data: { cores } = NO_CORES } = useQuery({ ...coresQuery, enabled: isSought });
  const isNamed = ({ name }: { name: string }) => isSought && name.toLocaleLowerCase().includes(words);
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
  const servers = [
    ...nodes.filter(isNamed).map(({ id, name }) => ({
      id: `node:${id}`,
      icon: IconNodes,
      label: name,
      note: t('nav.nodes'),
      run: () => void navigate({ to: '/nodes' }),
    })),
    ...cores.filter(isNamed).map(({ id, name }) => ({
      id: `core:${id}`,
      icon: IconCore,
      label: name,
      note: t('nav.cores'),
      run: () => void navigate({ to: '/cores/$id', params: { id: String(id) } }),
    })),
  ].slice(0, SERVERS);
  return [...users, ...servers, ...actions];
}
