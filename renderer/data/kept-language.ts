import type { Settings } from '../../contract/rpc/state.ts'
import type { Services } from './services.ts'

/** Where a page keeps its language: that of the app's settings, and that of a moderator. */
export const languageKeys = { app: 'sidestage.language', seat: 'sidestage.seat.language' } as const

/** The language in which a page begins: that of the settings is read later, and would come as a change. */
export function keptLanguage({ read }: Pick<Services['memory'], 'read'>): Settings['language'] {
  const kept = read(languageKeys.app) ?? read(languageKeys.seat)
  return kept === 'en' || kept === 'zh' ? kept : 'system'
}
