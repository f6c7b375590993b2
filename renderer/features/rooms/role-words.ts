import { useI18n } from 'vue-i18n'
import { guestPrefix } from '../../../contract/guests.ts'

const roles: Readonly<Record<number, 'limited' | 'ordinary' | 'creator' | 'admin'>> = {
  [-1]: 'limited',
  0: 'ordinary',
  1: 'creator',
  2: 'admin',
}
/** Role by its number in lists; `guest` is one of the watch page. */
export const roleOf = (
  type: number,
  accid: string,
): 'limited' | 'ordinary' | 'creator' | 'admin' | 'guest' | 'viewer' =>
  roles[type] ?? (accid.startsWith(guestPrefix) ? 'guest' : 'viewer')

/** Describes a role. */
export function useRoleWords(): (type: number, accid: string) => string {
  const { t } = useI18n()
  return (type, accid) => t(`room.role.${roleOf(type, accid)}`)
}
