import { Center, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** Stands where a list has no rows: what belongs here, and what to do first. */
export function EmptyState({ title, text, children }: { title: string; text: string; children?: ReactNode }) {
  return (
    <Center p="xl" mih={240}>
      <Stack align="center" gap="sm" maw={420}>
        <Title order={2} size="h4" ta="center">
          {title}
        </Title>
        <Text ta="center" size="sm" c="var(--quiet)">
          {text}
        </Text>
        {children}
      </Stack>
    </Center>
  );
}
