/** Names of the format variables in the contract. */
export const FORMAT_VARIABLES = [
  'SERVER_IP',
  'SERVER_IPV6',
  'USERNAME',
  'PROTOCOL',
  'TRANSPORT',
  'DATA_USAGE',
  'DATA_LIMIT',
  'DATA_LEFT',
  'DAYS_LEFT',
  'EXPIRE_DATE',
  'JALALI_EXPIRE_DATE',
  'TIME_LEFT',
  'STATUS_EMOJI',
  'USAGE_PERCENTAGE',
  'ADMIN_USERNAME',
];
