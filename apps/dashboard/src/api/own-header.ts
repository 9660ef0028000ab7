/** The header that no page of another site can send. */
export const OWN_HEADER = { 'x-rampart-dashboard': '1' } as const;
