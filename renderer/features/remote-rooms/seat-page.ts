import { defineStore } from 'pinia'
import { computed, inject, ref, shallowRef } from 'vue'
import type { Settings } from '../../../contract/rpc/state.ts'
import { languageKeys } from '../../data/kept-language.ts'
import { seatSessionKey, type SeatSignIn } from '../../data/seat-session.ts'
import { useCompanion } from '../../data/companion.ts'
import { useServices } from '../../data/services.ts'

const keys = { theme: 'sidestage.seat.theme', language: languageKeys.seat } as const
const oneOf = <T extends string>(value: string | null, choices: readonly T[], usual: T): T =>
  choices.find((each) => each === value) ?? usual

/** Look of a moderator's page, kept in the browser, and signing in and out. */
export const useSeatPage = defineStore('seatPage', () => {
  const { memory } = useServices()
  const companion = useCompanion()
  const session = inject(seatSessionKey)
  const theme = ref<Settings['theme']>(oneOf(memory.read(keys.theme), ['dark', 'light', 'system'], 'system'))
  const language = ref<Settings['language']>(oneOf(memory.read(keys.language), ['en', 'zh', 'system'], 'system'))
  const busy = ref(false)
  const refusal = shallowRef<Exclude<SeatSignIn['came'], 'in'> | null>(null)
  /** End of the pause between tries, in ms. */
  const waitUntil = ref(0)
  const left = ref(false)

  return {
    theme,
    language,
    busy,
    refusal,
    /** In s. */
    wait: computed(() => Math.max(0, Math.ceil((waitUntil.value - companion.clock) / 1000))),
    /** How the last session ended: by the moderator (`left`), or otherwise; null for none. */
    past: computed(() => (companion.seat === null ? null : left.value ? ('left' as const) : ('ended' as const))),
    code: (): string => session?.code ?? '',
    setTheme: (next: Settings['theme']): void => {
      theme.value = next
      memory.write(keys.theme, next)
    },
    setLanguage: (next: Settings['language']): void => {
      language.value = next
      memory.write(keys.language, next)
    },
    signIn: async (entered: {
      readonly accid: string
      readonly token: string
      readonly code: string
    }): Promise<boolean> => {
      if (busy.value || session === undefined) return false
      busy.value = true
      refusal.value = null
      const result = await session.signIn(entered)
      busy.value = false
      if (result.came === 'in') return true
      refusal.value = result.came
      waitUntil.value = result.came === 'refused' ? companion.clock + result.wait * 1000 : 0
      return false
    },
    signOut: async (): Promise<boolean> => {
      if (busy.value || session === undefined) return false
      busy.value = true
      left.value = await session.signOut()
      busy.value = false
      return left.value
    },
  }
})
