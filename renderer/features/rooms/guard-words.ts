import { useI18n } from 'vue-i18n'
import type { guardOf } from './room-measures.ts'
import { useCompanion } from '../../data/companion.ts'

/** Says why nothing may be done to a person; unlike the host, a moderator cannot unset an admin first. */
export function useGuardWords(): (guard: NonNullable<ReturnType<typeof guardOf>>) => string {
  const { t } = useI18n()
  const companion = useCompanion()
  return (guard) => (guard === 'admin' && companion.seat ? t('seatPage.guardAdmin') : t(`room.guard.${guard}`))
}
