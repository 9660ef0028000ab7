import {
  IconCore,
  IconGroups,
  IconHistory,
  IconHosts,
  IconNodes,
  IconOverview,
  IconSettings,
  IconShield,
  IconTemplate,
  IconUser,
  IconUsers,
} from '../ui/icons';

/** The pages, in the order of the menu; `letter` opens one after `g`. That of the own account stands in its own menu. */
export const PAGES = [
  { to: '/', text: 'nav.overview', letter: 'o', icon: IconOverview, isSudoOnly: false },
  { to: '/users', text: 'nav.users', letter: 'u', icon: IconUsers, isSudoOnly: false },
  { to: '/templates', text: 'nav.templates', letter: 't', icon: IconTemplate, isSudoOnly: false },
  { to: '/nodes', text: 'nav.nodes', letter: 'n', icon: IconNodes, isSudoOnly: true },
  { to: '/hosts', text: 'nav.hosts', letter: 'h', icon: IconHosts, isSudoOnly: true },
  { to: '/cores', text: 'nav.cores', letter: 'c', icon: IconCore, isSudoOnly: true },
  { to: '/groups', text: 'nav.groups', letter: 'g', icon: IconGroups, isSudoOnly: true },
  { to: '/audit', text: 'nav.audit', letter: 'a', icon: IconHistory, isSudoOnly: true },
  { to: '/admins', text: 'nav.admins', letter: 'd', icon: IconShield, isSudoOnly: true },
  { to: '/settings', text: 'nav.settings', letter: 's', icon: IconSettings, isSudoOnly: true },
  { to: '/account', text: 'shell.account', letter: 'p', icon: IconUser, isSudoOnly: false },
] as const;
