import { createTheme, type MantineColorsTuple } from '@mantine/core';

/** A deep teal whose seventh and eighth shades carry white text (WCAG AA). */
const brand: MantineColorsTuple = [
  '#e6f6f8',
  '#cdeaef',
  '#9bd6e0',
  '#66c0cf',
  '#3eaebf',
  '#1f9bae',
  '#0e7f93',
  '#0b7285',
  '#095e6e',
  '#064a57',
];

export const theme = createTheme({
  primaryColor: 'brand',
  colors: { brand },
  primaryShade: { light: 7, dark: 7 },
  autoContrast: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  headings: { fontWeight: '650' },
  components: {
    Modal: { defaultProps: { closeOnClickOutside: false, centered: true } },
    Drawer: { defaultProps: { position: 'right', size: 'lg' } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    SegmentedControl: { defaultProps: { transitionDuration: 0 } },
    Menu: { defaultProps: { position: 'bottom-end', shadow: 'md', withinPortal: true } },
  },
});
