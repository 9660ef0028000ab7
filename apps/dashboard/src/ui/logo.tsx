/** The sign of Rampart: a wall with battlements and a gate. */
export const Logo = ({ size = 28 }: { size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill="#0b7285" />
    <path d="M7 25V9h4v4h3V9h4v4h3V9h4v16h-6v-4a3 3 0 0 0-6 0v4z" fill="#fff" />
  </svg>
);
