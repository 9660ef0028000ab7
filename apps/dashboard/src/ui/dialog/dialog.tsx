import { Drawer, type DrawerProps, Modal, type ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { noteFocus } from './focus';
import { useIsInFront } from './in-front';

/** A dialog that is open as long as it is mounted. */
export function Dialog({ closeOnEscape, ...rest }: Omit<ModalProps, 'opened'>) {
  return <Modal {...useOpenDialog(closeOnEscape)} {...rest} />;
}

/** A dialog at the side of the page that is open as long as it is mounted. */
export function SideDialog({ closeOnEscape, ...rest }: Omit<DrawerProps, 'opened'>) {
  return <Drawer {...useOpenDialog(closeOnEscape)} {...rest} />;
}

/** Escape closes only the dialog in front, and what had the focus before a dialog opened gets it back. */
function useOpenDialog(closeOnEscape = true) {
  const { t } = useTranslation();
  const isInFront = useIsInFront();
  const [giveFocusBack] = useState(noteFocus);
  useEffect(() => giveFocusBack, [giveFocusBack]);
  return {
    opened: true,
    closeOnEscape: closeOnEscape && isInFront,
    closeButtonProps: { 'aria-label': t('common.close') },
  };
}
