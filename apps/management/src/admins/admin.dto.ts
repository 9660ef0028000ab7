export interface AdminView {
  username: string;
  id: number;
  is_sudo: boolean;
  is_disabled: boolean;
  total_users: number;
  used_traffic: number;
  lifetime_used_traffic: number;
}
